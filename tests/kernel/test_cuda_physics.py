"""The physics on a GPU against the NumPy back end. Needs an NVIDIA GPU and CuPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from benchmarks.motion import initial, motion

import percuss
from percuss import kernel
from percuss.kernel.backends import cuda

pytestmark = pytest.mark.skipif(
    not cuda.available(), reason="needs an NVIDIA GPU and CuPy (percuss[cuda])"
)

ROBOTS = ("thesis", "two-arms", "demo-7")


def compiled(name: str, backend: str) -> tuple[percuss.System, kernel.Kernel]:
    system = percuss.robot(name)
    nq, nv = system.coordinate_count, system.rate_count
    like = np.zeros(nq), np.zeros(nv), np.zeros(nv)

    def dynamics(q: Any, v: Any, tau: Any) -> Any:
        return percuss.forward_dynamics(system, q, v, tau)

    return system, kernel.compile(dynamics, *like, backend=backend)


@pytest.mark.parametrize("name", ROBOTS)
def test_forward_dynamics(name: str) -> None:
    system, on_gpu = compiled(name, "cuda")
    _, oracle = compiled(name, "numpy")
    nq, nv = system.coordinate_count, system.rate_count
    rng = np.random.default_rng(1)
    q = rng.normal(size=(nq, 500))
    v, tau = rng.normal(size=(2, nv, 500))
    found, expected = on_gpu(q, v, tau), oracle(q, v, tau)
    error = np.linalg.norm(found - expected, axis=0) / np.linalg.norm(expected, axis=0)
    print(f"{name}: largest normwise error {error.max():.1e}")
    assert error.max() < 1e-12


@pytest.mark.parametrize("name", ROBOTS)
def test_one_second_of_motion(name: str) -> None:
    system = percuss.robot(name)
    size = system.coordinate_count + system.rate_count
    quaternions = [slice(3, 7)] if system.coordinate_count != system.rate_count else []
    x = initial(system, 12)
    ends: dict[str, np.ndarray] = {}
    for backend in ("cuda", "numpy"):
        run = kernel.rollout(
            motion(system),
            state=np.zeros(size),
            method=kernel.RK4(0.01),
            quaternions=quaternions,
            backend=backend,
        )
        ends[backend] = np.asarray(run(x, duration=1.0).state)
    error = np.abs(ends["cuda"] - ends["numpy"]).max() / np.abs(ends["numpy"]).max()
    print(f"{name}: largest error after 1 s {error:.1e}")
    assert error < 1e-9


def test_arrays_on_the_gpu_stay_there() -> None:
    cupy = cuda.load_cupy()
    system, on_gpu = compiled("thesis", "cuda")
    v = cupy.zeros((system.rate_count, 9))
    found = on_gpu(cupy.zeros((system.coordinate_count, 9)), v + 1.0, v)
    assert isinstance(found, cupy.ndarray)
    host = on_gpu(np.zeros((5, 9)), np.ones((5, 9)), np.zeros((5, 9)))
    np.testing.assert_array_equal(cupy.asnumpy(found), host)


def test_jacobians_on_the_gpu() -> None:
    cupy = cuda.load_cupy()
    system = percuss.robot("thesis")

    def dynamics(q: Any, v: Any) -> Any:
        return percuss.forward_dynamics(system, q, v)

    q, v = np.random.default_rng(2).normal(size=(2, 5, 7))
    expected = kernel.jacobian(dynamics, np.zeros(5), np.zeros(5), backend="numpy")(q, v)
    on_gpu = kernel.jacobian(dynamics, np.zeros(5), np.zeros(5), backend="cuda")
    for found in (on_gpu(q, v), on_gpu(cupy.asarray(q), cupy.asarray(v))):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(cupy.asnumpy(a), b, atol=1e-11)


def test_an_adaptive_rollout_with_an_event() -> None:
    def fall(t: Any, x: Any, u: Any, p: Any) -> Any:
        del t, u
        return x[1], -p + 0.0 * x[0]

    ends: dict[str, Any] = {}
    for backend in ("cuda", "numpy"):
        run = kernel.rollout(
            fall,
            state=(0.0, 0.0),
            parameters=0.0,
            method=kernel.Adaptive(1e-10, 1e-12),
            events=[kernel.Event(lambda t, x, u, p: x[0], -1, terminal=True)],  # noqa: ARG005
            backend=backend,
        )
        ends[backend] = run((1.0, 0.0), np.linspace(1.0, 9.0, 40), duration=10.0)
    np.testing.assert_allclose(ends["cuda"].time, np.sqrt(2.0 / np.linspace(1.0, 9.0, 40)), 1e-9)
    np.testing.assert_allclose(ends["cuda"].time, ends["numpy"].time, rtol=1e-12)
    np.testing.assert_array_equal(ends["cuda"].status, ends["numpy"].status)


def test_bounces_with_clocks_of_their_own() -> None:
    """Repeated impacts, a limit, an accumulation and jumps: the same on the GPU."""

    def fall(t: Any, x: Any, u: Any, p: Any) -> Any:
        del t, u, p
        return x[1], -9.81 + 0.0 * x[0]

    events = [
        kernel.Event(lambda t, x, u, p: x[0], -1, lambda t, x, u, p: (x[0], -p * x[1]), most=40),  # noqa: ARG005
        kernel.Event(lambda t, x, u, p: np.where(t < 1.2, 1.0, -1.0), terminal=True),  # noqa: ARG005
    ]
    ends: dict[str, Any] = {}
    restitution = np.linspace(0.0, 0.95, 40)
    for backend in ("cuda", "numpy"):
        run = kernel.rollout(
            fall,
            state=(0.0, 0.0),
            parameters=0.0,
            method=kernel.Adaptive(1e-10, 1e-12),
            events=events,
            backend=backend,
        )
        lasts = np.linspace(2.0, 1.0, 40)
        ends[backend] = run((1.0, 0.0), restitution, duration=lasts)
    np.testing.assert_array_equal(ends["cuda"].status, ends["numpy"].status)
    np.testing.assert_array_equal(ends["cuda"].event_count, ends["numpy"].event_count)
    np.testing.assert_allclose(ends["cuda"].time, ends["numpy"].time, rtol=0, atol=1e-12)
    assert len(set(ends["cuda"].status.tolist())) >= 4
