"""Numbers of a chaser that go by the names of its parts: joints, and parameters of its models."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from percuss.encounter.errors import Path
from percuss.encounter.postures import joint_coordinates
from percuss.model.errors import closest
from percuss.model.parameters import parameters
from percuss.model.systems import System
from percuss.scenario.chaser_system import chaser_system
from percuss.scenario.errors import ScenarioError
from percuss.scenario.fields import Quantity, plain_numbers
from percuss.scenario.links import JointRate, JointValue
from percuss.scenario.places import Place, Route, at, field_place, several
from percuss.scenario.posture import joint_paths, locked_paths

if TYPE_CHECKING:
    from percuss.scenario.model import Scenario

_PARAMETERS: tuple[tuple[str, Quantity], ...] = (
    (r".+\.mass", Quantity("kg", above=0)),
    (r".+\.inertia\.(xx|yy|zz)", Quantity("kg m^2", least=0)),
    (r".+\.inertia\.(xy|xz|yz)", Quantity("kg m^2")),
    (r".+\.(com|placement|child_placement)\.[xyz]", Quantity("m")),
    (r".+\.(placement|child_placement)\.(roll|pitch|yaw)", Quantity("rad")),
    (r".+\.friction\.smoothing", Quantity("", above=0)),
    (r".+\.friction\.(viscous|coulomb)", Quantity("", least=0)),
    (r"gravity\.[xyz]", Quantity("m/s^2")),
)
"""What parameters of models are, by their names."""


@dataclass(frozen=True)
class JointPlaces:
    """The places of joint coordinates and rates, and of parameters of models.

    All joints of the scenario are given by name. `unknown` makes the error for a name that is none.
    """

    scenario: Scenario
    unknown: Callable[[str], ScenarioError]

    def candidates(self) -> Iterator[str]:
        """Names of joints, and of the parameters that the scenario gives."""
        yield from ("chaser.joints", "chaser.velocity.joints")
        yield from (f"chaser.joints.{name}" for name in self._joint_routes | self._locked_routes)
        yield from (f"chaser.velocity.joints.{name}" for name in self._joint_routes)
        yield from (f"chaser.parameters.{key}" for key in self.scenario.chaser.parameters or ())

    def find(self, name: str, path: Path) -> Place | None:
        """The place of a number of joints or of a model; None for any other name."""
        if len(path) > 2 and path[:2] == ("chaser", "parameters"):
            return self._parameter(name, str(path[2]))
        return self._joints(name, path)

    @property
    def _chaser(self) -> System:
        return self.scenario.start.chaser

    @cached_property
    def _joint_routes(self) -> dict[str, Route]:
        return joint_paths(self._chaser, self.scenario.chaser, self.scenario.models)

    @cached_property
    def _locked_routes(self) -> dict[str, Route]:
        return locked_paths(self.scenario.chaser, self.scenario.models)

    def _locked(self, name: str) -> Place:
        """Where a joint is held, by its name in the chaser."""
        route = self._locked_routes[name]
        return field_place(route, float(at(self.scenario, route) or 0.0), JointValue)

    def _joints(self, name: str, path: Path) -> Place | None:
        """Coordinates or rates of all joints, of those of an arm, or of one joint."""
        system, start = self._chaser, self.scenario.start
        if path[:3] == ("chaser", "velocity", "joints"):
            own = {n: ("chaser", "velocity", "joints", n) for n in self._joint_routes}
            rates = {
                n: float(start.chaser_rates[system.node(system.joint(n).child).rates][0])
                for n in own
            }
            return self._chosen(name, path[3:], own, rates, quantity=JointRate)
        values = joint_coordinates(system, start.chaser_coordinates)
        if path[:2] == ("chaser", "joints") and path[-1] in self._locked_routes:
            return self._locked(str(path[-1]))
        if path[:2] == ("chaser", "joints"):
            return self._chosen(name, path[2:], self._joint_routes, values, quantity=JointValue)
        if path[:2] == ("chaser", "arms") and path[3:4] == ("joints",):
            of_arm = {n: r for n, r in self._joint_routes.items() if r[:4] == path[:4]}
            if not of_arm:
                raise ScenarioError(
                    f"{name}: the joints of this arm stand at the chaser: vary chaser.joints"
                )
            values = {str(r[-1]): values[n] for n, r in of_arm.items()}
            return self._chosen(
                name,
                path[4:],
                {str(r[-1]): r for r in of_arm.values()},
                values,
                quantity=JointValue,
            )
        return None

    def _chosen(
        self,
        name: str,
        rest: Path,
        routes: Mapping[str, Route],
        values: Mapping[str, float],
        *,
        quantity: Quantity,
    ) -> Place:
        """All of some joints, or the one that the rest of a path names or counts."""
        whole = several(list(routes.values()), tuple(values[n] for n in routes), quantity)
        if not routes:
            raise ScenarioError(f"{name}: the chaser has no joints that move")
        if not rest:
            return whole
        if isinstance(rest[0], int) and rest[0] < len(routes):
            return whole.entry(rest[0])
        if rest[0] not in routes:
            raise self.unknown(name)
        return field_place(routes[str(rest[0])], values[str(rest[0])], quantity)

    def _parameter(self, name: str, key: str) -> Place:
        scenario = self.scenario
        chaser = scenario.chaser
        system = chaser_system(chaser, scenario.models, scenario.gravity)
        known = parameters(system)
        if key not in known:
            hint = closest(name, (f"chaser.parameters.{each}" for each in known))
            raise ScenarioError(f"{name}: the chaser has no such parameter.{hint}")
        kinds = (kind for pattern, kind in _PARAMETERS if re.fullmatch(pattern, key))
        value = plain_numbers(known[key])
        return field_place(("chaser", "parameters", key), value, next(kinds, Quantity()))
