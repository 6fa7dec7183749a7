"""The record of a whole encounter."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from percuss.encounter.records.approach import ApproachRecord
from percuss.encounter.records.control import ControlRecord
from percuss.encounter.records.impact import ContactRecord, ImpactRecord, Vector
from percuss.encounter.records.limits import LimitsRecord
from percuss.encounter.records.orbit import OrbitRecord
from percuss.encounter.records.stabilisation import StabilisationRecord
from percuss.impact.verdict import ConservationLaw, State


class EncounterStatus(StrEnum):
    """How an encounter ended."""

    CAPTURED = "captured"
    """The target is held."""
    BOUNCED = "bounced"
    """Tool and target touched, and parted or still touch."""
    MISSED = "missed"
    """Tool and target never touched."""
    PUSHED = "pushed"
    """A given force pushed the chaser; there is no target."""
    HELD = "held"
    """A spring that also pulls holds the points together."""
    ACCUMULATED = "accumulated"
    """Bounces pile up before the grasp can close."""
    UNFINISHED = "unfinished"
    """There are more bounces than are allowed."""


@dataclass(frozen=True)
class PhaseRecord:
    """A phase of motion under one set of equations, with what its balances leave open.

    The residuals are the largest within the phase: the change minus work and external impulse.
    """

    name: str
    """The name is observe, approach, contact, flight (between bounces) or after."""
    phase: int
    """The code of the phase in the history is 0 before the contact, 1 in it and 2 after it."""
    begin: float
    """The phase begins at this time of the run, s."""
    end: float
    """The phase ends at this time of the run, s."""
    steps: int
    """The integrator took so many steps."""
    energy: float
    """The residual of the energy, J."""
    linear_momentum: float | None
    """The residual of the linear momentum, N s; None where a fixed base passes it on."""
    angular_momentum: float | None
    """The residual of the angular momentum about the world's origin, N m s; None likewise."""


@dataclass(frozen=True)
class PlanarTargetState:
    """Where a target in the plane is and how its centre of mass moves, world frame."""

    position: Vector
    """The position of the centre of mass, m."""
    angle: float
    """The angle, not wrapped, rad."""
    linear: Vector
    """The velocity of the centre of mass, m/s."""
    angular: float
    """The angular velocity, rad/s."""


@dataclass(frozen=True)
class SpatialTargetState:
    """Where a target in space is and how its centre of mass moves, world frame."""

    position: Vector
    """The position of the centre of mass, m."""
    orientation: Vector
    """The quaternion (w, x, y, z), world ← target."""
    linear: Vector
    """The velocity of the centre of mass, m/s."""
    angular: Vector
    """The angular velocity, rad/s, world axes."""


@dataclass(frozen=True)
class FinalState:
    """The state at the end of the run: that of the chaser, and of the target if there is one."""

    time: float
    """The last time of the run, s."""
    coordinates: Vector
    """The chaser's coordinates: base first, then joints."""
    rates: Vector
    """The chaser's rates: base first, world axes, then joints."""
    names: tuple[str, ...]
    """The names of the coordinates."""
    units: tuple[str, ...]
    """The units of the coordinates."""
    base_turn: float
    """The base has turned by this angle since the start, rad."""
    target: PlanarTargetState | SpatialTargetState | None


@dataclass(frozen=True)
class BalanceRecord:
    """The largest residuals of the whole run: change minus work and external impulse."""

    energy: float
    """The residual of the energy, J."""
    linear_momentum: float | None
    """The residual of the linear momentum, N s; None where a fixed base passes it on."""
    angular_momentum: float | None
    """The residual of the angular momentum about the world's origin, N m s; None likewise."""


@dataclass(frozen=True)
class PeakLoads:
    """The largest loads of the whole run."""

    control: Vector
    """The largest size of each generalized force on the chaser's rates, N and N m."""
    joint_reaction: Mapping[str, float]
    """The largest force through each joint while it moves, by joint name, N."""


@dataclass(frozen=True)
class IntegrationRecord:
    """The method of the last phase, and the steps of all phases."""

    method: str
    steps: int


@dataclass(frozen=True)
class NoticeRecord:
    """One thing that was read in a model file and is not used as it stands."""

    file: str
    """The file, or the robot of the library."""
    line: int
    """The line of the file; 0 where the format does not tell it."""
    where: str
    """The element in the file."""
    read: str
    """What stands there, with its unit."""
    used: str
    """What is used instead, with its unit."""


@dataclass(frozen=True)
class EncounterResult:
    """What became of an encounter: everything that is told about it, and written to its summary."""

    name: str
    """The name of the encounter."""
    closure: str
    """The name of the closure that the encounter asks for."""
    planar: bool
    """Whether chaser and target stay in the plane."""
    mode: str
    """The mode of the base is fixed, free-floating, attitude-controlled or free-flying."""
    status: EncounterStatus
    outcome: str
    """The end in a sentence."""
    phases: tuple[PhaseRecord, ...]
    """The phases of the run, in order."""
    approach: ApproachRecord | None
    """How the tool came to the target; None where the run begins with the impact."""
    impacts: tuple[ImpactRecord, ...]
    """All impacts, in order of time."""
    contact: ContactRecord | None
    """The contact that took time; None where impacts are instantaneous."""
    stabilisation: StabilisationRecord | None
    """How the captured target came to rest; None where nothing was captured."""
    final: FinalState
    balance: BalanceRecord
    control: ControlRecord
    """The control after the contact."""
    peak: PeakLoads
    limits: LimitsRecord | None
    """The joints against their limits; None where no joint has one."""
    integration: IntegrationRecord
    laws: tuple[ConservationLaw, ...]
    """What became of each conservation law in the last impact."""
    warnings: tuple[str, ...]
    """What a reader must know before believing the numbers."""
    advice: tuple[str, ...]
    """What is good to know about this kind of run."""
    notices: tuple[NoticeRecord, ...]
    """What had to be changed in the model files."""
    orbit: OrbitRecord | None
    """The orbit that the world's origin follows; None where the surroundings exert nothing."""

    @property
    def impact(self) -> ImpactRecord | None:
        """The impact that closed the grasp, or the last one; None without any."""
        return self.impacts[-1] if self.impacts else None

    @property
    def verdict(self) -> tuple[str, ...]:
        """One line for each conservation law, then the warnings."""
        return (*(law.text for law in self.laws), *(f"warning: {text}" for text in self.warnings))

    @property
    def is_missed(self) -> bool:
        """Whether tool and target never touched."""
        return self.status == EncounterStatus.MISSED

    @property
    def is_divided(self) -> bool:
        """Whether there are more phases than the motion after the impact, or another one."""
        names = [phase.name for phase in self.phases]
        return len(names) > 1 or any(name != "after" for name in names)

    @property
    def brought_to_rest(self) -> StabilisationRecord | None:
        """How the capture was brought to rest; None where no law of control acts after it."""
        return self.stabilisation if self.control.is_driving else None

    @property
    def law_states(self) -> dict[str, State]:
        """What became of each law that was judged, by its name."""
        return {law.name: law.state for law in self.laws}
