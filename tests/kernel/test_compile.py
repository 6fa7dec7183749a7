"""`compile` as a user meets it: pytrees, batches, derivatives, JAX, the cache and errors."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import percuss
from percuss import kernel
from percuss.kernel import trees
from tests.tracers import jax, jnp, library_of, needs_jax

RNG = np.random.default_rng(11)


def features(np: Any) -> Any:
    """A function that uses much of what a control law may use, in NumPy or jax.numpy."""

    def function(x: Any, p: Any) -> Any:
        table = np.array([0.0, 0.5, 1.0, 2.0]), np.array([1.0, 3.0, -1.0, 0.5])
        gain = np.array([[1.0, 0.2, 0.0], [0.0, 2.0, -1.0]])
        return {
            "held": np.clip(gain @ x, -1.0, 1.0),
            "table": np.interp(x[0], *table),
            "branch": np.where(p["a"] > 0, np.sin(x), x**3),
            "norm": np.linalg.norm(x),
            "angle": np.arctan2(x[0], x[1]),
            "wrapped": np.mod(x, 2.0),
            "largest": np.argmax(x),
            "flags": (x > 0, np.all(x > -10.0)),
            "sorted out": np.where(x > 0, np.sqrt(np.where(x > 0, x, 1.0)), 0.0),
            "rounded": (np.round(x), np.floor(x), np.ceil(x), np.trunc(x)),
            "powers": (x**2, np.abs(x) ** 0.3, 2.0**x, np.exp(-x), np.log1p(np.abs(x))),
            "products": (np.outer(x, x), np.cross(x, p["b"]), x @ p["b"], np.cumsum(x), x[::-1]),
            "picked": p["b"][np.argmax(x)],
        }

    return function


LIKE = (np.zeros(3), {"a": 0.0, "b": np.zeros(3)})


@pytest.mark.parametrize("library", [np, pytest.param(jnp, marks=needs_jax)], ids=["np", "jnp"])
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_any_pytree_in_and_out_case_by_case(backend: str, library: Any) -> None:
    compiled = kernel.compile(features(library), *LIKE, backend=backend)
    x = RNG.normal(size=(3, 21))
    p = {"a": RNG.normal(size=21), "b": RNG.normal(size=(3, 21))}
    found = compiled(x, p)
    for case in range(21):
        expected = features(np)(x[:, case], {"a": p["a"][case], "b": p["b"][:, case]})
        assert trees.structure_of(found) == trees.structure_of(expected)
        for a, b in zip(trees.leaves_of(found), trees.leaves_of(expected), strict=True):
            np.testing.assert_allclose(a[..., case], b, atol=1e-14)
    assert found["flags"][0].dtype == bool


def test_arguments_without_a_batch_axis_are_shared_and_none_means_one_case() -> None:
    compiled = kernel.compile(features(np), *LIKE)
    x, p = RNG.normal(size=3), {"a": 0.3, "b": np.ones(3)}
    one = compiled(x, p)
    assert one["held"].shape == (2,)
    many = compiled(x, p | {"a": np.full(5, 0.3)})
    assert many["held"].shape == (2, 5)
    np.testing.assert_array_equal(many["held"][:, 3], one["held"])
    assert compiled(np.zeros((3, 0)), p)["held"].shape == (2, 0)


def test_arrays_need_not_be_contiguous() -> None:
    compiled = kernel.compile(lambda x: np.sin(x) * x[0], np.zeros(3))
    x = RNG.normal(size=(40, 6))
    np.testing.assert_array_equal(
        compiled(x[::2, ::2].T), compiled(np.ascontiguousarray(x[::2, ::2].T))
    )


def test_wrong_shapes_and_structures_are_named() -> None:
    compiled = kernel.compile(lambda x, y: x + y, np.zeros(3), np.zeros(3))
    with pytest.raises(kernel.KernelError, match=r"shape \(4,\); allowed are \(3,\)"):
        compiled(np.zeros(4), np.zeros(3))
    with pytest.raises(kernel.KernelError, match="different batch sizes: 2 and 5"):
        compiled(np.zeros((3, 2)), np.zeros((3, 5)))
    with pytest.raises(kernel.KernelError, match="structure"):
        compiled(np.zeros(3))
    with pytest.raises(kernel.KernelError, match="backend must be one of"):
        kernel.compile(lambda x: x, 0.0, backend="fortran")
    with pytest.raises(kernel.KernelError, match="float64 or float32"):
        kernel.compile(lambda x: x, 0.0, dtype=int)


@needs_jax
def test_what_cannot_be_compiled_names_the_primitive_and_the_line() -> None:
    def control_law(x: Any) -> Any:
        return jnp.linalg.eigvalsh(x)

    with pytest.raises(
        kernel.KernelError, match=r"'eigh' .*control_law .*test_compile\.py, line \d+"
    ):
        kernel.compile(control_law, np.zeros((3, 3)))
    with pytest.raises(kernel.KernelError, match="while loop that depends on the inputs"):
        kernel.compile(lambda x: jax.lax.while_loop(lambda c: c < x, lambda c: c + 1, 0.0), 0.0)
    with pytest.raises(kernel.KernelError, match="too long to unroll"):
        kernel.compile(lambda x: jax.lax.scan(lambda c, _: (c * x, None), x, None, 1000)[0], 0.0)


@needs_jax
def test_custom_derivatives_and_checkpoints_are_inlined() -> None:
    @jax.custom_jvp
    def cube(x: Any) -> Any:
        return x**3

    cube.defjvps(lambda t, _, x: 7.0 * x * t)
    compiled = kernel.compile(kernel.jvp(jax.checkpoint(jax.jit(cube))), (0.0,), (0.0,))
    value, slope = compiled((2.0,), (1.0,))
    assert (float(value), float(slope)) == (8.0, 14.0)


@needs_jax
def test_the_global_setting_of_jax_is_left_alone() -> None:
    kernel.compile(lambda x: x * 2.0, 0.0)
    assert jnp.asarray(1.0).dtype == jnp.float32


def test_without_llvmlite_the_slow_back_end_is_announced() -> None:
    code = """
import sys, warnings
sys.modules["llvmlite"] = None  # as if it were not installed
from percuss import kernel
from percuss.kernel.errors import KernelNotice
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    compiled = kernel.compile(lambda x: x * 2.0, 0.0)
assert compiled.backend == "numpy" and float(compiled(3.0)) == 6.0
assert [w.category for w in caught] == [KernelNotice], caught
try:
    kernel.compile(lambda x: x, 0.0, backend="llvm")
except kernel.KernelError as error:
    assert "needs llvmlite" in str(error)
else:
    raise AssertionError("a missing back end was not refused")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


EDGES = [0.3, -0.3, 0.0, -0.0, 1.0, -1.6, 2.5, 3.9, -745.0, 1e30, np.nan, np.inf, -np.inf]

SHORT = {
    "gather with fill": lambda x: x.at[5].get(mode="fill", fill_value=1.0),
    "take out of range": lambda x: jnp.take(x, jnp.array([0, 5])),
    "add at an index": lambda x: x.at[0].add(x[1]).at[jnp.array([1, 1])].add(x[2]),
    "set at an index": lambda x: x.at[1].set(7.0),
    "gradient through indices": lambda x: jax.grad(lambda x: jnp.sum(x[jnp.array([0, 2])] ** 2))(x),
    "select": lambda x: jnp.select([x > 1, x > 0], [x, 2 * x], -x),
    "argmax": lambda x: (jnp.argmax(x), jnp.argmin(x), jnp.argmax(x > 0)),
    "extremes of truths": lambda x: (jnp.max(x > 0), jnp.min(x > 0), jnp.maximum(x > 0, x < 1)),
    "sign of whole numbers": lambda x: jnp.arctan2(x.astype(int).astype(float), -1.0),
    "whole numbers": lambda x: (x.astype(int) // 3, x.astype(int) % 7),
    "narrow whole numbers": lambda x: (x.astype(jnp.int8), x.astype(jnp.uint8)),
    "switch": lambda x: jax.lax.switch(
        x[0].astype(int), [lambda z: z, lambda z: 2 * z, lambda z: -z], x
    ),
    "dynamic index": lambda x: x[x[0].astype(int)],
    "update at a start": lambda x: jax.lax.dynamic_update_slice(
        x, jnp.ones(1), (x[0].astype(int),)
    ),
    "table": lambda x: jnp.interp(x, jnp.array([0.0, 1.0, 2.0]), jnp.array([1.0, 3.0, -1.0])),
    "entries of a vector": lambda x: jnp.sin(x)[jnp.clip(x, 0, 5).astype(int)],
    "second derivatives": lambda x: jax.hessian(lambda x: jnp.sum(jnp.sin(x) * x[0] ** 2))(x),
    "branch": lambda x: jax.lax.cond(x[0] > 0, lambda z: jnp.sin(z), lambda z: z**3, x),
    "sweep": lambda x: jax.lax.scan(lambda c, row: (c * 0.5 + row, c), 0.0, x)[0],
    "loop": lambda x: jax.lax.fori_loop(0, 3, lambda i, c: c * x[0] + i, 1.0),
}


@needs_jax
@pytest.mark.parametrize("name", SHORT)
@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_what_a_control_law_may_say_means_what_it_means_in_jax(name: str, backend: str) -> None:
    function = SHORT[name]
    compiled = kernel.compile(function, np.zeros(3), backend=backend)
    rng = np.random.default_rng(3)
    # Whole numbers are exact up to 2⁵³ only, as the documentation says.
    edges = [x for x in EDGES if not abs(x) > 1e9] if name in ("whole numbers", "switch") else EDGES
    inputs = np.concatenate([rng.choice(edges, (3, 60)), 3 * rng.normal(size=(3, 20))], axis=1)
    found = jax.tree.leaves(compiled(inputs))
    for case in range(inputs.shape[1]):
        with jax.enable_x64(True):
            expected = jax.tree.leaves(function(jnp.asarray(inputs[:, case])))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(
                a[..., case], np.asarray(b, a.dtype), rtol=1e-12, err_msg=f"{inputs[:, case]}"
            )


@needs_jax
def test_rounding_to_a_shorter_type_is_refused() -> None:
    with pytest.raises(kernel.KernelError, match="rounding to float32 inside a function"):
        kernel.compile(lambda x: x.astype(jnp.float32) * 2, 0.0)
    with pytest.raises(kernel.KernelError, match="'reduce_precision' cannot be compiled"):
        kernel.compile(lambda x: jax.lax.reduce_precision(x, 5, 10), 0.0)


# --- programs -----------------------------------------------------------------------------------


def test_programs_share_drop_fold_print_and_hash() -> None:
    def wasteful(x: Any) -> Any:
        unused = np.sin(x) ** 5
        del unused
        return (np.cos(x) * 1.0 + np.cos(x)) - 0.0, 2.0 * 3.0

    traced = kernel.trace(wasteful, 0.0)
    assert traced.program.counts == {"cos": 1, "add": 1}
    assert str(traced.program) == "inputs x0…x0\nr0 = cos(x0)\nr1 = add(r0, r0)\noutputs r1, 6.0"
    again = kernel.trace(wasteful, 0.0)
    assert hash(again.program) == hash(traced.program)
    assert again.program == traced.program
    assert kernel.trace(lambda x: (np.cos(x), 6.0), 0.0).program != traced.program


# --- derivatives --------------------------------------------------------------------------------


def smooth(x: Any, y: Any) -> Any:
    return library_of(x).sin(x) * y, (x @ x) / (1.0 + y**2)


@needs_jax
def test_jvp_and_vjp_agree_with_jax() -> None:
    x, y, dx, dy, w = RNG.normal(size=3), 0.7, RNG.normal(size=3), -0.3, RNG.normal(size=3)
    forward = kernel.compile(kernel.jvp(smooth), (x, y), (x, y))((x, y), (dx, dy))
    backward = kernel.compile(kernel.vjp(smooth), (x, y), (x, 0.0))((x, y), (w, 1.5))
    with jax.enable_x64(True):
        expected = jax.jvp(smooth, (x, y), (dx, dy))
        value, pull = jax.vjp(smooth, x, y)
        expected_back = value, pull((jnp.asarray(w), jnp.asarray(1.5)))
    for found, wanted in ((forward, expected), (backward, expected_back)):
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-14), found, wanted)


def test_jacobians_agree_with_finite_differences() -> None:
    slopes = kernel.jacobian(smooth, np.zeros(3), 0.0)
    x, y = RNG.normal(size=(3, 5)), RNG.normal(size=5)
    found = slopes(x, y)
    compiled = kernel.compile(smooth, np.zeros(3), 0.0)
    h = 1e-6
    for k in range(3):
        shift = np.eye(3)[:, k : k + 1] * h
        up, down = compiled(x + shift, y), compiled(x - shift, y)
        np.testing.assert_allclose(found[0][0][:, k], (up[0] - down[0]) / (2 * h), atol=1e-9)
        np.testing.assert_allclose(found[1][0][k], (up[1] - down[1]) / (2 * h), atol=1e-9)
    assert found[0][1].shape == (3, 5)


@needs_jax
def test_jax_differentiates_through_compiled_code() -> None:
    wrapped = kernel.to_jax(smooth, np.zeros(3), 0.0)
    x, y = jnp.asarray(RNG.normal(size=3)), 0.4

    def loss(f: Any) -> Any:
        return lambda x, y: jnp.sum(f(x, y)[0] ** 2) + f(x, y)[1]

    for differentiate in (jax.grad, jax.jacfwd, jax.jacrev):
        np.testing.assert_allclose(
            differentiate(loss(wrapped))(x, y), differentiate(loss(smooth))(x, y), rtol=2e-5
        )
    many = jnp.asarray(RNG.normal(size=(4, 3)))
    np.testing.assert_allclose(
        jax.jit(jax.vmap(jax.grad(loss(wrapped)), in_axes=(0, None)))(many, y),
        jax.vmap(jax.grad(loss(smooth)), in_axes=(0, None))(many, y),
        rtol=2e-5,
    )


# --- physics ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["thesis", "demo-7", "two-arms"])
def test_compiled_dynamics_equal_the_plain_ones(name: str) -> None:
    system = percuss.robot(name)
    nq, nv = system.coordinate_count, system.rate_count
    compiled = kernel.compile(
        lambda q, v, tau: percuss.forward_dynamics(system, q, v, tau),
        np.zeros(nq),
        np.zeros(nv),
        np.zeros(nv),
    )
    q = np.stack(
        [percuss.integrate(system, percuss.neutral(system), RNG.normal(size=nv)) for _ in range(9)],
        -1,
    )
    v, tau = RNG.normal(size=(2, nv, 9))
    found = compiled(q, v, tau)
    for case in range(9):
        plain = percuss.forward_dynamics(system, q[:, case], v[:, case], tau[:, case])
        np.testing.assert_allclose(found[:, case], plain, atol=1e-11 * np.abs(plain).max())


# --- cache --------------------------------------------------------------------------------------


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PERCUSS_CACHE", str(tmp_path))
    return tmp_path


def test_corrupt_truncated_and_foreign_entries_are_replaced(cache: Path) -> None:
    def value() -> float:
        return float(kernel.compile(lambda x: np.sin(x) + 0.125, 0.0, key="cache test")(0.5))

    expected = value()
    entries = sorted(cache.glob("*.bin"))
    assert len(entries) == 2, "one entry for the trace, one for the code"
    good = [entry.read_bytes() for entry in entries]
    for damage in (
        lambda b: b[: len(b) // 2],
        lambda _: b"",
        lambda b: b[:-1] + b"x",
        lambda _: b"other" * 9,
    ):
        for entry in entries:
            entry.write_bytes(damage(entry.read_bytes()))
        assert value() == expected
        assert [entry.read_bytes() for entry in entries] == good
    assert not [p for p in cache.iterdir() if p.name.startswith(".new-")]


def test_a_cache_that_cannot_be_written_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    monkeypatch.setenv("PERCUSS_CACHE", str(blocked))
    assert float(kernel.compile(lambda x: x + 1.0, 0.0)(1.0)) == 2.0
    monkeypatch.setenv("PERCUSS_CACHE", "off")
    assert float(kernel.compile(lambda x: x + 2.0, 0.0)(1.0)) == 3.0


@pytest.mark.parametrize("backend", ["llvm", "numpy"])
def test_single_cases_give_the_same_bits(backend: str) -> None:
    def function(t: Any, x: Any) -> Any:
        return {"a": np.sin(t) * x, "b": x @ x}

    compiled = kernel.compile(function, 0.0, np.zeros(3), backend=backend)
    quick = compiled.single()
    x = np.array([0.3, -1.2, 4.0])
    whole = compiled(0.7, x)
    np.testing.assert_array_equal(quick(np.array([0.7, *x])), [*whole["a"], whole["b"]])
    kept = quick(np.array([0.1, *x]))
    quick(np.array([0.2, *x]))
    np.testing.assert_array_equal(kept, quick(np.array([0.1, *x])), "a result was overwritten")
