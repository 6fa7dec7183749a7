"""Rollouts on disk: the same bits without tracing or compiling, and never those of another."""

# ruff: noqa: ARG001, ARG005 - user functions take (t, x, u, p) whether they use them or not

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from percuss import kernel
from percuss.kernel import trees
from percuss.kernel.rollouts.result import RolloutResult

START = np.array([1.0, 0.2])


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "cache"
    monkeypatch.setenv("PERCUSS_CACHE", str(folder))
    return folder


def entries(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.glob("*.bin")}


def swing(t: Any, x: Any, u: Any, p: Any) -> Any:
    """A damped pendulum, pushed."""
    push = 0.0 if u is None else u
    return np.stack([x[1], push - p * np.sin(x[0]) - 0.1 * x[1]])


def law(t: Any, x: Any, memory: Any, p: Any) -> tuple[Any, Any]:
    return -0.5 * x[1] + 0.1 * memory, 0.9 * memory + x[0]


def height(t: Any, x: Any, u: Any, p: Any) -> Any:
    return 1.0 - np.cos(x[0])


def turned_back(t: Any, x: Any, u: Any, p: Any) -> Any:
    return np.stack([x[0], -0.9 * x[1]])


def refused(*_: Any) -> Any:
    raise AssertionError("it was traced again")


def plain(**options: Any) -> dict[str, Any]:
    return {"f": swing, "state": np.zeros(2), "parameters": 0.0} | options


def eventful(**options: Any) -> dict[str, Any]:
    """Everything that a rollout may have."""
    return plain(
        controller=kernel.Controller(law, 0.25, 0.125),
        statistics={
            "top": kernel.Maximum(height),
            "area": kernel.Integral(height),
            "crossing": kernel.FirstCrossing(lambda t, x, u, p: x[1], direction=-1),
        },
        events=[kernel.Event(lambda t, x, u, p: x[0] + 0.4, action=turned_back, most=3)],
        **options,
    )


def without_functions(options: dict[str, Any]) -> dict[str, Any]:
    """The same in all but the functions, which must not be called."""
    found: dict[str, Any] = options | {"f": refused}
    if "controller" in found:
        found["controller"] = replace(found["controller"], law=refused)
        found["statistics"] = {k: replace(s, value=refused) for k, s in found["statistics"].items()}
        found["events"] = [replace(e, value=refused, action=refused) for e in found["events"]]
    return found


def ran(options: dict[str, Any], key: str | None, **call: Any) -> RolloutResult:
    run = kernel.rollout(**options, key=key)
    return run(START, 2.0, **({"duration": 3.0} | call))


def same_bits(a: Any, b: Any) -> bool:
    pairs = zip(trees.leaves_of(a), trees.leaves_of(b), strict=True)
    return all(np.asarray(x).tobytes() == np.asarray(y).tobytes() for x, y in pairs)


TIMES = np.linspace(0.1, 3.0, 7)

CASES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    (plain(method=kernel.RK4(0.01)), {}),
    (plain(method=kernel.RK4(0.01)), {"duration": np.array([1.0, 3.0])}),
    (plain(), {}),
    (plain(single=True), {}),
    (plain(dtype=np.float32), {}),
    (plain(method=kernel.Dop853(1e-9, 1e-11)), {"duration": None, "times": TIMES}),
    (plain(method=kernel.Rosenbrock(1e-9, 1e-11)), {"duration": None, "times": TIMES}),
    (eventful(method=kernel.RK4(0.125 / 8)), {}),
    (eventful(), {"duration": None, "times": TIMES}),
]


@pytest.mark.parametrize(("options", "call"), CASES)
def test_the_same_bits_without_tracing(
    options: dict[str, Any], call: dict[str, Any], cache: Path
) -> None:
    fresh = ran(options, None, **call)
    first = ran(options, "swing", **call)
    kept = entries(cache)
    again = ran(without_functions(options), "swing", **call)
    assert same_bits(first, fresh)
    assert same_bits(again, fresh)
    assert entries(cache) == kept


def test_the_same_derivatives_without_tracing(cache: Path) -> None:
    options = plain(method=kernel.Adaptive(1e-8, 1e-10))

    def slopes(options: dict[str, Any]) -> Any:
        found = kernel.rollout(**options, key="swing").sensitivity(START, 2.0, duration=1.0)
        return found.by_state, found.by_parameters

    first = slopes(options)
    assert same_bits(slopes(without_functions(options)), first)


def test_the_same_stiffness_without_tracing(cache: Path) -> None:
    def decay(options: dict[str, Any]) -> float:
        run = kernel.rollout(**options, key="swing")
        return kernel.stiffness(run, START, 2.0).decay

    expected = decay(plain())
    assert expected > 0.0
    assert decay(without_functions(plain())) == expected


@pytest.mark.parametrize(
    "change",
    [
        {"method": kernel.Adaptive(1e-5, 1e-7)},
        {"method": kernel.Adaptive(1e-6, 1e-6)},
        {"method": kernel.Adaptive(1e-6, 1e-8, first_step=1e-3)},
        {"method": kernel.Dop853(1e-6, 1e-8)},
        {"method": kernel.Rosenbrock(1e-6, 1e-8)},
        {"method": kernel.RK4(0.125 / 8)},
        {"method": kernel.RK4(0.125 / 16)},
        {"dtype": np.float32},
        {"controller": kernel.Controller(law, 0.5, 0.125)},
        {"controller": kernel.Controller(law, 0.25, 0.25)},
        {"controller": kernel.Controller(law, 0.25)},
        {"statistics": {"top": kernel.Minimum(height)}},
        {"statistics": {"top": kernel.FirstCrossing(lambda t, x, u, p: x[1], direction=1)}},
        {"events": []},
        {"events": [kernel.Event(lambda t, x, u, p: x[0] + 0.4, action=turned_back, most=2)]},
        {"events": [kernel.Event(lambda t, x, u, p: x[0] + 0.4, direction=1)]},
        {"events": [kernel.Event(lambda t, x, u, p: x[0] + 0.4, terminal=True)]},
    ],
)
def test_other_settings_under_the_same_key_are_another_rollout(
    change: dict[str, Any], cache: Path
) -> None:
    """The key is for the functions; everything else is told apart by itself."""
    options = eventful(method=kernel.Adaptive(1e-6, 1e-8))
    ran(options, "swing")
    other = options | change
    assert same_bits(ran(other, "swing"), ran(other, None))


def test_quaternions_and_shapes_under_the_same_key_are_another_rollout(cache: Path) -> None:
    def run(**options: Any) -> Any:
        made = kernel.rollout(
            lambda t, x, u, p: trees.map_leaves(lambda a: -0.1 * a, x), **options, key="decay"
        )
        return made(options["state"], duration=1.0).state

    start = np.array([1.0, 0.0, 0.0, 0.0])
    assert run(state=start)[0] == pytest.approx(np.exp(-0.1))
    assert run(state=start, quaternions=[0])[0] == pytest.approx(1.0)
    assert run(state=(start, 2.0))[1] == pytest.approx(2.0 * np.exp(-0.1))


def pulled(strength: float) -> Callable[..., Any]:
    return lambda t, x, u, p: np.stack([x[1], -strength * x[0]])


@pytest.mark.parametrize("other", [pulled(2.0), lambda t, x, u, p: -x])
def test_a_fingerprint_tells_functions_and_their_constants_apart(other: Any, cache: Path) -> None:
    def state(f: Any, key: str | None) -> Any:
        return kernel.rollout(f, state=np.zeros(2), key=key)(START, duration=1.0).state

    for f in (pulled(1.0), other, pulled(1.0)):
        key = kernel.fingerprint(f)
        assert key is not None
        assert same_bits(state(f, key), state(f, None))


PENDULUM = """
import numpy as np
from percuss import kernel
for key in ("first", "second", "first"):
    run = kernel.rollout(
        lambda t, x, u, p: np.stack([x[1], -np.sin(x[0])]),
        state=np.zeros(2),
        method=kernel.Rosenbrock(1e-8, 1e-10),
        key=key,
    )
    print(run(np.array([1.0, 0.2]), duration=3.0).state.tobytes().hex())
"""
LINE = [sys.executable, "-W", "error", "-c", PENDULUM]


def in_another_process() -> set[str]:
    done = subprocess.run(LINE, capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize("damage", [b"short", None])
def test_damaged_and_lost_entries_are_replaced(damage: bytes | None, cache: Path) -> None:
    expected = in_another_process()
    assert len(expected) == 1
    kept = entries(cache)
    assert len(kept) >= 8
    for some in (list(kept)[::2], list(kept)[1::2], list(kept)):
        for name in some:
            if damage is None:
                (cache / name).unlink(missing_ok=True)
            else:
                (cache / name).write_bytes(damage)
        assert in_another_process() == expected
    assert entries(cache) == kept


def test_without_the_cache_it_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    assert same_bits(ran(plain(), "swing"), ran(plain(), None))
    with pytest.raises(AssertionError, match="traced again"):
        ran(plain(f=refused), "swing")


@dataclass(frozen=True)
class Remembered:
    """Of no library, so that nothing tells it apart from a class of the same name."""

    angle: float = 0.5


def test_what_cannot_be_told_apart_is_not_kept(cache: Path) -> None:
    def steering(t: Any, x: Any, memory: Any, p: Any) -> tuple[Any, Any]:
        return -memory.angle, memory

    options = plain(controller=kernel.Controller(steering, Remembered(), 0.125))
    assert same_bits(ran(options, "swing"), ran(options, None))
    with pytest.raises(AssertionError, match="traced again"):
        ran(options | {"f": refused}, "swing")


def test_a_functions_fault_is_found_each_time(cache: Path) -> None:
    for _ in range(2):
        with pytest.raises(kernel.KernelError, match="rates shaped like the state"):
            kernel.rollout(lambda t, x, u, p: x[:1], state=np.zeros(2), key="short")


def test_processes_at_the_same_time_find_the_same(cache: Path) -> None:
    running = [subprocess.Popen(LINE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    printed = [process.communicate()[0] for process in running]
    assert all(process.returncode == 0 for process in running)
    assert len(set("".join(printed).split())) == 1
    assert not list(cache.glob(".new-*"))
