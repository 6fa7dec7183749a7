"""A law in NumPy, one in jax.numpy and one in plain Python arithmetic are the same kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.control import TreePlant, computed_torque, hold, user_law
from tests.cli.test_code import written
from tests.tracers import jax, jnp, needs_jax

GAIN = [[4.0, 0.5], [0.0, 3.0]]
TABLE = [0.0, 0.1, 0.4], [1.0, 0.7, 0.2]
PERIOD = 0.05


def in_numpy(t: Any, q: Any, v: Any, memory: Any) -> Any:
    error = q - np.array([0.6, -0.4])
    grows = np.abs(error) < 0.3
    force = -(np.array(GAIN) @ error) - 1.5 * v - 0.2 * memory
    u = np.clip(force, -5.0, 5.0) * np.minimum(t / 2.0, 1.0)
    return u, memory + PERIOD * np.where(grows, error, 0.0)


def in_jax(t: Any, q: Any, v: Any, memory: Any) -> Any:
    error = q - jnp.array([0.6, -0.4])
    grows = jnp.abs(error) < 0.3
    force = -(jnp.array(GAIN) @ error) - 1.5 * v - 0.2 * memory
    u = jnp.clip(force, -5.0, 5.0) * jnp.minimum(t / 2.0, 1.0)
    return u, memory + PERIOD * jnp.where(grows, error, 0.0)


@needs_jax
def test_numpy_and_jax_give_the_same_program() -> None:
    like = 0.0, np.zeros(2), np.zeros(2), np.zeros(2)
    ours = kernel.trace(in_numpy, *like).program
    assert ours.digest == kernel.trace(in_jax, *like).program.digest


def plainly(t: Any, q: Any, v: Any, memory: Any) -> Any:
    del t
    return [-4.0 * q[k] - 1.5 * v[k] * abs(v[k]) for k in range(2)], memory


def in_arrays(np: Any) -> Any:
    def law(t: Any, q: Any, v: Any, memory: Any) -> Any:
        del t
        return np.stack([-4.0 * q[k] - 1.5 * v[k] * np.abs(v[k]) for k in range(2)]), memory

    return law


def test_plain_arithmetic_gives_the_same_program() -> None:
    like = 0.0, np.zeros(2), np.zeros(2), np.zeros(0)
    plain = kernel.trace(plainly, *like).program.digest
    assert kernel.trace(in_arrays(np), *like).program.digest == plain
    if jax is not None:
        assert kernel.trace(in_arrays(jnp), *like).program.digest == plain


def test_the_same_law_on_numbers() -> None:
    rng = np.random.default_rng(2)
    compiled = kernel.compile(in_numpy, 0.0, np.zeros(2), np.zeros(2), np.zeros(2))
    given = rng.normal(size=9), *(rng.normal(size=(2, 9)) for _ in range(3))
    found = compiled(*given)
    for case in range(9):
        t, *others = (x[..., case] for x in given)
        for ours, theirs in zip(found, in_numpy(t, *others), strict=True):
            np.testing.assert_allclose(ours[:, case], theirs, rtol=1e-14, atol=1e-14)


@needs_jax
@pytest.mark.parametrize(
    "method", [kernel.RK4(step=0.05), kernel.Adaptive()], ids=["rk4", "adaptive"]
)
def test_the_step_of_a_rollout_is_the_same(method: Any) -> None:
    robot = percuss.planar_arm(
        [percuss.PlanarLink(length=1.0, mass=2.0), percuss.PlanarLink(length=0.8, mass=1.0)]
    )
    plant = TreePlant(robot)

    def rolled(function: Any, largest: Any) -> kernel.Rollout:
        law = user_law(function, memory=np.zeros(2), period=PERIOD)
        return kernel.rollout(
            lambda t, x, u, p: {  # noqa: ARG005
                "q": percuss.coordinate_rates(robot, x["q"], x["v"]),
                "v": plant.accelerations(x["q"], x["v"], u),
            },
            state={"q": np.zeros(2), "v": np.zeros(2)},
            method=method,
            controller=kernel.Controller(
                lambda t, x, memory, p: law.command(t, x["q"], x["v"], memory),  # noqa: ARG005
                law.memory,
                law.period,
            ),
            events=[kernel.Event(lambda t, x, u, p: x["q"][0] - 0.5, terminal=True)],  # noqa: ARG005
            statistics={"peak": kernel.Maximum(lambda t, x, u, p: largest(u))},  # noqa: ARG005
        )

    ours, theirs = rolled(in_numpy, np.abs), rolled(in_jax, jnp.abs)
    assert ours.iteration.step.digest == theirs.iteration.step.digest
    assert ours.iteration.observe.digest == theirs.iteration.observe.digest
    assert ours.iteration.step.operation_count > 500


@needs_jax
def test_a_law_may_ask_the_plant_and_answer_in_any_dialect() -> None:
    plant = TreePlant(percuss.robot("thesis"))
    wanted = computed_torque(plant, hold(plant, [1.0, 2.0, 1.5, 0.0, 0.0]), 1.0, 2.0)

    def doubled(np: Any) -> Any:
        def law(t: Any, q: Any, v: Any, memory: Any) -> Any:
            u, memory = wanted.command(t, q, v, memory)
            return np.where(np.abs(u) > 10.0, 10.0 * np.sign(u), u), memory

        return user_law(law)

    like = 0.0, np.zeros(5), np.zeros(5), None
    programs = [kernel.trace(doubled(library).command, *like).program for library in (np, jnp)]
    assert programs[0].digest == programs[1].digest


LAW_FILES = {
    "numpy": """
import numpy as np

def law(t, q, v, memory):
    u = -3.0 * v[:5] - np.clip(q[:5], -0.2, 0.2) * np.exp(-t)
    return np.where(np.abs(u) < 4.0, u, 4.0 * np.sign(u)), memory
""",
    "jax": """
import jax.numpy as jnp

def law(t, q, v, memory):
    u = -3.0 * v[:5] - jnp.clip(q[:5], -0.2, 0.2) * jnp.exp(-t)
    return jnp.where(jnp.abs(u) < 4.0, u, 4.0 * jnp.sign(u)), memory
""",
    "both": """
import numpy as np
import jax.numpy as jnp

def law(t, q, v, memory):
    u = -3.0 * v[:5] - np.clip(q[:5], -0.2, 0.2) * np.exp(-t)
    return np.where(abs(u) < 4.0, u, 4.0 * np.sign(u)), memory
""",
}


@needs_jax
def test_files_of_laws_give_the_same_run(tmp_path: Path) -> None:
    """Bit by bit: the compiled program is the same."""
    finals: list[Any] = []
    for name, code in LAW_FILES.items():
        scenario = percuss.load(written(tmp_path / name, code))
        summary = percuss.run(scenario, allow_code=True).summary
        finals.append((summary["final"]["rates"], summary["peak"]["control"]))
    assert finals[0] == finals[1] == finals[2]
    assert any(finals[0][1])


def test_a_file_with_a_refused_line_says_which(tmp_path: Path) -> None:
    code = "import numpy as np\n\n\ndef law(t, q, v, memory):\n{}    return u, memory\n"
    bodies = {
        "np.where": "    u = -v if t > 1 else 0 * v\n",
        "np.stack": "    u = np.zeros(5)\n    u[0] = -v[0]\n",
        "np.choose": "    u = -v * np.array([1.0, 2.0])[t]\n",
    }
    for instead, body in bodies.items():
        place = written(tmp_path / instead, code.format(body))
        line = 4 + body.count("\n")
        with pytest.raises(
            percuss.ScenarioError, match=rf"law\.py, line {line}.*{instead}".replace("np.", r"np\.")
        ):
            percuss.run(percuss.load(place), allow_code=True)
