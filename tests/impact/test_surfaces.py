"""Surfaces: distance, normal and nearest point, against the definition of each solid."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss import kernel
from percuss.algebra import Pose, Vector3
from percuss.algebra.scalars import pack
from percuss.impact import Box, Cylinder, Disk, HalfSpace, Sphere, surface_of
from percuss.impact.surfaces import Surface
from percuss.model import Body, ModelError, sphere
from percuss.model.bodies import Visual
from tests.strategies import random_pose, unit_quaternion
from tests.tracers import jax, jnp, slopes, traced

Array = np.ndarray
Generator = np.random.Generator
SEEDS = st.integers(0, 2**32 - 1)


@dataclass(frozen=True)
class Solid:
    """A surface with an independent description of the same solid, in its own frame."""

    surface: Surface
    pose: Pose
    contains: Callable[[Array], Any]
    """Points (3, n) in its own frame → whether inside."""
    samples: Callable[[Generator, int], Array]
    """Points (3, n) on the surface, in its own frame."""
    planar: bool = False

    def from_body(self, points: Array) -> Array:
        matrix = np.array(self.pose.matrix(), float)
        return matrix[:3, :3].T @ (points - matrix[:3, 3:])

    def to_body(self, points: Array) -> Array:
        matrix = np.array(self.pose.matrix(), float)
        return matrix[:3, :3] @ points + matrix[:3, 3:]


KINDS = ("sphere", "disk", "box", "rectangle", "cylinder", "half-space")


def random_solid(rng: Generator, kind: str) -> Solid:
    pose = random_pose(rng)
    if kind in ("disk", "rectangle"):
        x, y, angle = rng.normal(size=3).tolist()
        pose = Pose.planar(x, y, angle)
    sizes = rng.uniform(0.3, 2.0, 3)
    r = float(sizes[0])
    if kind == "sphere":
        return Solid(
            Sphere(r, pose.position),
            pose,
            lambda x: (x**2).sum(0) < r**2,
            lambda rng, n: r * _directions(rng, n),
        )
    if kind == "disk":
        return Solid(
            Disk(r, pose.position),
            pose,
            lambda x: x[0] ** 2 + x[1] ** 2 < r**2,
            lambda rng, n: _ring(rng, n, r),
            planar=True,
        )
    if kind in ("box", "rectangle"):
        edges = sizes if kind == "box" else sizes[:2]
        return Solid(
            Box(tuple(edges.tolist()), pose),
            pose,
            lambda x: np.all(np.abs(x[: len(edges)]) < edges[:, None] / 2, axis=0),
            lambda rng, n: _faces(rng, n, edges),
            planar=kind == "rectangle",
        )
    if kind == "cylinder":
        half = float(sizes[1]) / 2
        return Solid(
            Cylinder(r, 2 * half, pose),
            pose,
            lambda x: (x[0] ** 2 + x[1] ** 2 < r**2) & (np.abs(x[2]) < half),
            lambda rng, n: _tin(rng, n, r, half),
        )
    outwards = pose.rotation @ Vector3(0.0, 0.0, 3.0)
    flat = lambda rng, n: np.concatenate([4 * rng.normal(size=(2, n)), np.zeros((1, n))])  # noqa: E731
    return Solid(HalfSpace(pose.position, outwards), pose, lambda x: x[2] < 0, flat)


def _directions(rng: Generator, n: int) -> Array:
    x = rng.normal(size=(3, n))
    return x / np.linalg.norm(x, axis=0)


def _ring(rng: Generator, n: int, radius: float) -> Array:
    angle = rng.uniform(-np.pi, np.pi, n)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), np.zeros(n)])


def _faces(rng: Generator, n: int, edges: Array) -> Array:
    x = np.zeros((3, n))
    x[: len(edges)] = rng.uniform(-0.5, 0.5, (len(edges), n)) * edges[:, None]
    face = rng.integers(len(edges), size=n)
    x[face, np.arange(n)] = rng.choice([-0.5, 0.5], n) * edges[face]
    return x


def _tin(rng: Generator, n: int, radius: float, half: float) -> Array:
    x = _ring(rng, n, radius)
    x[2] = rng.uniform(-half, half, n)
    lid = rng.random(n) < 0.5
    x[:2, lid] *= np.sqrt(rng.random(lid.sum()))
    x[2, lid] = rng.choice([-half, half], lid.sum())
    return x


def distances(surface: Surface, points: Array) -> Array:
    return np.broadcast_to(np.asarray(surface.distance(Vector3(*points)), float), points.shape[1:])


def normals(surface: Surface, points: Array) -> Array:
    entries = (np.asarray(x, float) for x in surface.normal(Vector3(*points)))
    return np.stack([np.broadcast_to(x, points.shape[1:]) for x in entries])


# --- against the definition -------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(seed=SEEDS, kind=st.sampled_from(KINDS))
def test_distance_is_that_of_the_nearest_point_of_the_surface(seed: int, kind: str) -> None:
    """No point of the surface is nearer, and one is that near."""
    rng = np.random.default_rng(seed)
    solid = random_solid(rng, kind)
    points = 1.5 * rng.normal(size=(3, 200))
    if solid.planar:
        points[2] = 0.0
    found = distances(solid.surface, solid.to_body(points))
    np.testing.assert_array_equal(found < 0, solid.contains(points))
    scattered = solid.samples(rng, 2000)
    apart = np.linalg.norm(points[:, :, None] - scattered[:, None, :], axis=0).min(1)
    assert (np.abs(found) <= apart + 1e-12).all(), "a point of the surface is nearer"
    near = solid.surface.nearest(Vector3(*solid.to_body(points)))
    at = np.stack([np.asarray(x, float) for x in near])
    slack = 2e-15 * (1 + np.abs(points).max())
    assert np.abs(distances(solid.surface, at)).max() < slack
    gap = np.linalg.norm(at - solid.to_body(points), axis=0)
    np.testing.assert_allclose(gap, np.abs(found), atol=float(slack))


@settings(deadline=None, max_examples=40)
@given(seed=SEEDS, kind=st.sampled_from(KINDS))
def test_points_of_the_surface_are_on_it(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    solid = random_solid(rng, kind)
    on = solid.to_body(solid.samples(rng, 300))
    assert np.abs(distances(solid.surface, on)).max() < 4e-15 * (1 + np.abs(on).max())
    lengths = np.linalg.norm(normals(solid.surface, on), axis=0)
    np.testing.assert_allclose(lengths, 1.0, atol=4e-16)


@settings(deadline=None, max_examples=40)
@given(seed=SEEDS, kind=st.sampled_from(KINDS))
def test_distance_never_changes_faster_than_the_point_moves(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    solid = random_solid(rng, kind)
    a = rng.normal(size=(3, 300))
    b = a + 10 ** rng.uniform(-12, 0, 300) * _directions(rng, 300)
    change = np.abs(distances(solid.surface, a) - distances(solid.surface, b))
    assert (change <= np.linalg.norm(a - b, axis=0) + 4e-15).all()


@settings(deadline=None, max_examples=25)
@given(seed=SEEDS, kind=st.sampled_from(KINDS))
def test_the_normal_is_the_gradient_of_the_distance(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    solid = random_solid(rng, kind)
    points = rng.normal(size=(3, 50))
    gradient = kernel.vjp(lambda x: solid.surface.distance(Vector3(*x)))
    _, (found,) = kernel.compile(gradient, (np.zeros(3),), 1.0)((points,), np.ones(50))
    np.testing.assert_allclose(found, normals(solid.surface, points), atol=1e-14)
    np.testing.assert_allclose(np.linalg.norm(found, axis=0), 1.0, atol=1e-14)


@settings(deadline=None, max_examples=40)
@given(seed=SEEDS, kind=st.sampled_from(KINDS))
def test_moving_solid_and_point_together_changes_nothing(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    solid = random_solid(rng, kind)
    move = random_pose(rng)
    if solid.planar:
        move = Pose.planar(*rng.normal(size=3).tolist())
    moved = _moved(solid.surface, move)
    points = rng.normal(size=(3, 100))
    matrix = np.array(move.matrix(), float)
    there = matrix[:3, :3] @ points + matrix[:3, 3:]
    np.testing.assert_allclose(
        distances(moved, there), distances(solid.surface, points), atol=1e-14
    )
    # Well away from edges of the field, where the normal jumps.
    wanted = matrix[:3, :3] @ normals(solid.surface, points)
    gap = np.linalg.norm(normals(moved, there) - wanted, axis=0)
    assert np.median(gap) < 1e-14
    assert (gap < 1e-12).mean() > 0.95


def _moved(surface: Surface, move: Pose) -> Surface:
    if isinstance(surface, Sphere | Disk):
        return replace(surface, center=move.act(surface.center))
    if isinstance(surface, Box | Cylinder):
        return replace(surface, placement=move @ surface.placement)
    assert isinstance(surface, HalfSpace)
    return HalfSpace(move.act(surface.point), move.rotation @ surface.outwards)


# --- first touch ------------------------------------------------------------------------------


@settings(deadline=None, max_examples=60)
@given(seed=SEEDS, kind=st.sampled_from(KINDS))
def test_first_touch_of_a_moving_point(seed: int, kind: str) -> None:
    """By root finding on the distance; the normal there is against the motion, and outwards."""
    rng = np.random.default_rng(seed)
    solid = random_solid(rng, kind)
    aim = solid.samples(rng, 1)[:, 0] * (0.9 if kind != "half-space" else 1.0)
    way = _directions(rng, 1)[:, 0]
    if solid.planar:
        way = np.array([way[0], way[1], 0.0]) / math.hypot(way[0], way[1])
    if kind == "half-space":
        way[2] = abs(way[2]) + 0.1
    start = solid.to_body((aim + 10 * way)[:, None])[:, 0]
    goal = solid.to_body((aim - 1e-3 * way)[:, None])[:, 0]
    # March by the distance, which can never lead past the first touch.
    here, length = start, float(np.linalg.norm(goal - start))
    while (gap := float(distances(solid.surface, here[:, None])[0])) > 1e-12:
        here = here + gap / length * (goal - start)
        assert np.linalg.norm(here - start) <= length, "the surface is missed"
    normal = normals(solid.surface, here[:, None])[:, 0]
    assert normal @ (goal - start) < 1e-9 * length, "touched from behind"
    inside = solid.from_body((here - 1e-6 * normal)[:, None])
    outside = solid.from_body((here + 1e-6 * normal)[:, None])
    assert solid.contains(inside)[0]
    assert not solid.contains(outside)[0]


# --- faces, edges, corners, centres -----------------------------------------------------------


@pytest.mark.parametrize(
    ("surface", "point", "distance", "normal"),
    [
        (Sphere(2.0), (0, 0, 0), -2.0, (1, 0, 0)),
        (Sphere(2.0), (0, 0, 3), 1.0, (0, 0, 1)),
        (Disk(2.0), (0, 0, 7), -2.0, (1, 0, 0)),
        (Disk(1.0), (3, 4, 9), 4.0, (0.6, 0.8, 0)),
        (Box((2, 4, 6)), (1, 0, 0), 0.0, (1, 0, 0)),
        (Box((2, 4, 6)), (-1, 0, 0), 0.0, (-1, 0, 0)),
        (Box((2, 4, 6)), (0, 0, -3), 0.0, (0, 0, -1)),
        (Box((2, 4, 6)), (1, 2, 0), 0.0, (1, 0, 0)),  # an edge: the first of its faces
        (Box((2, 4, 6)), (1, 2, 3), 0.0, (1, 0, 0)),  # a corner
        (Box((2, 4, 6)), (1, 5, 7), 5.0, (0, 0.6, 0.8)),
        (Box((2, 4, 6)), (0, 0, 0), -1.0, (1, 0, 0)),
        (Box((2, 4, 6)), (0.2, -1.9, 0.1), -0.1, (0, -1, 0)),
        (Box((2, 4)), (0.2, -1.9, 50), -0.1, (0, -1, 0)),
        (Box((2, 4)), (4, 6, 50), 5.0, (0.6, 0.8, 0)),
        (Box((2, 2, 2)), (1 + 1e-200, 0, 0), 0.0, (1, 0, 0)),
        (Cylinder(1.0, 4.0), (0, 0, 0), -1.0, (1, 0, 0)),  # on the axis: x
        (Cylinder(1.0, 4.0), (0, 0, 2), 0.0, (0, 0, 1)),
        (Cylinder(1.0, 4.0), (0, 1, 2), 0.0, (0, 1, 0)),  # the rim counts as the side
        (Cylinder(1.0, 4.0), (0, -4, 6), 5.0, (0, -0.6, 0.8)),
        (Cylinder(3.0, 2.0), (0, 0, 0.25), -0.75, (0, 0, 1)),
        (HalfSpace((0, 0, 1), (0, 0, 5)), (3, 4, 3), 2.0, (0, 0, 1)),
        (HalfSpace((0, 1), (0, -1e-200)), (3, 4), -3.0, (0, -1, 0)),
    ],
)
def test_special_points(surface: Surface, point: Any, distance: float, normal: Any) -> None:
    at = Vector3.of((*point, 0.0)[:3])
    assert surface.distance(at) == pytest.approx(distance, abs=1e-15)
    np.testing.assert_allclose(np.array(surface.normal(at).array(), float), normal, atol=1e-15)
    x = np.array(at.array(), float)
    for tracer, value in traced(lambda x: surface.distance(Vector3(*x)), x).items():
        assert float(value) == pytest.approx(distance, abs=1e-15), tracer
    for way, slope in slopes(lambda x: surface.distance(Vector3(*x)), x).items():
        assert np.isfinite(slope).all(), f"derivative of the distance, {way}"
    for way, turning in slopes(lambda x: pack(surface.normal(Vector3(*x))), x).items():
        assert np.isfinite(turning).all(), f"derivative of the normal, {way}"


def test_curvature_of_the_normal() -> None:
    """Along a sphere the normal turns by 1/r a metre; on a face it does not turn."""
    ball, box = Sphere(2.0), Box((2, 2, 2))
    for turn in slopes(lambda x: pack(ball.normal(Vector3(*x))), np.array([0, 0, 2.0])).values():
        np.testing.assert_allclose(turn, np.diag([0.5, 0.5, 0]), atol=1e-15)
    for flat in slopes(lambda x: pack(box.normal(Vector3(*x))), np.array([1.5, 0.1, 0.2])).values():
        np.testing.assert_allclose(flat, np.zeros((3, 3)), atol=1e-15)


# --- every kind of scalar ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_scalar_gives_the_same(kind: str) -> None:
    rng = np.random.default_rng(8)
    surface = random_solid(rng, kind).surface
    points = rng.normal(size=(3, 40))
    plain = [
        (surface.distance(at), *surface.normal(at), *surface.nearest(at))
        for at in (Vector3(*column) for column in points.T.tolist())
    ]
    wanted = np.array(plain, float).T

    def everything(x: Any) -> Any:
        at = Vector3(*x)
        entries = (surface.distance(at), *surface.normal(at), *surface.nearest(at))
        return pack(entries)

    at = Vector3(*points)
    batch = [surface.distance(at), *surface.normal(at), *surface.nearest(at)]
    rows = np.stack([np.broadcast_to(np.asarray(x, float), (40,)) for x in batch])
    np.testing.assert_allclose(rows, wanted, atol=1e-15)
    compiled = kernel.compile(everything, np.zeros(3))
    np.testing.assert_allclose(compiled(points), wanted, atol=1e-14)
    if jax is not None:
        with jax.enable_x64(True):
            found = jax.jit(jax.vmap(everything, 1, 1))(jnp.asarray(points))
        np.testing.assert_allclose(np.array(found), wanted, atol=1e-14)
    x, y, z = sympy.symbols("x y z", real=True)
    formula = sympy.lambdify((x, y, z), surface.distance(Vector3(x, y, z)), "math")  # type: ignore[arg-type]
    found = [formula(*column) for column in points.T.tolist()]
    np.testing.assert_allclose(found, wanted[0], atol=1e-13)


def test_sizes_of_any_scalar() -> None:
    """A batch of radii, and a derivative by the radius."""
    radii = np.array([0.5, 1.0, 2.0])
    np.testing.assert_allclose(Sphere(radii).distance(Vector3(3.0, 0.0, 0.0)), 3.0 - radii)  # type: ignore[arg-type]

    def corner(edge: Any) -> Any:
        return Box((edge, edge, edge)).distance(Vector3(2.0, 2.0, 2.0))

    for way, slope in slopes(corner, 2.0).items():
        assert float(slope) == pytest.approx(-math.sqrt(3) / 2, rel=1e-14), way


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "half-space"])
def test_nothing_is_evaluated_where_it_has_no_value(kind: str) -> None:
    """No warning of NumPy about roots and divisions, wherever the points are."""
    surface = {
        "sphere": Sphere(1.0),
        "disk": Disk(1.0),
        "box": Box((2, 2, 2)),
        "rectangle": Box((2, 2)),
        "cylinder": Cylinder(1.0, 2.0),
    }[kind]
    grid = np.stack(np.meshgrid(*[[-2.0, -1.0, 0.0, 1.0, 1.5]] * 3)).reshape(3, -1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isfinite(distances(surface, grid)).all()
        lengths = np.linalg.norm(normals(surface, grid), axis=0)
    np.testing.assert_allclose(lengths, 1.0, atol=4e-16)


@pytest.mark.parametrize("kind", ["sphere", "box", "cylinder", "half-space"])
@pytest.mark.parametrize("entry", [0, 1, 2])
def test_nan_is_not_hidden(kind: str, entry: int) -> None:
    surface = random_solid(np.random.default_rng(3), kind).surface
    point = np.array([0.1, 0.2, 0.3])
    point[entry] = math.nan
    assert math.isnan(float(surface.distance(Vector3(*point.tolist()))))  # type: ignore[arg-type]
    assert np.isnan(distances(surface, point[:, None])).all()
    for tracer, found in traced(lambda x: surface.distance(Vector3(*x)), point).items():
        assert math.isnan(float(found)), tracer


# --- what is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("build", "complaint"),
    [
        (lambda: Sphere(0.0), "sphere: radius must be finite and > 0 m, got 0"),
        (lambda: Sphere(math.nan), "sphere: radius must be finite and > 0 m, got nan"),
        (lambda: Sphere("1"), "sphere: radius must be a scalar, got '1'"),  # type: ignore[arg-type]
        (lambda: Sphere(1.0, (0, math.inf, 0)), "sphere: center y must be finite, got inf"),  # type: ignore[arg-type]
        (lambda: Disk(-1.0), "disk: radius must be finite and > 0 m, got -1"),
        (lambda: Disk(1.0, (0, 0, 0, 0)), "disk: center must have 3 entries, got 4"),  # type: ignore[arg-type]
        (lambda: Box((1.0, 0.0, 1.0)), "box: size y must be finite and > 0 m, got 0"),
        (lambda: Box((1.0,)), "box: size must be two or three lengths in m"),
        (lambda: Box(1.0), "box: size must be two or three lengths in m, got 1.0"),  # type: ignore[arg-type]
        (lambda: Box((1, 1, 1), (0, 0, 0)), "box: placement must be a Pose"),  # type: ignore[arg-type]
        (lambda: Box((1, 1, 1), Pose.at((0, math.nan, 0))), "placement, position y must be finite"),
        (lambda: Cylinder(1.0, math.inf), "cylinder: length must be finite and > 0 m, got inf"),
        (lambda: Cylinder(np.array([1.0, -1.0]), 1.0), "cylinder: radius must be finite"),  # type: ignore[arg-type]
        (lambda: HalfSpace((0, 0, 0), (0, 0, 0)), r"normal must not be zero, got \(0, 0, 0\)"),
        (lambda: HalfSpace((0, 0, 0), (0, math.nan, 0)), "normal y must be finite, got nan"),
    ],
)
def test_sizes_that_no_solid_has_are_refused(build: Callable[[], Surface], complaint: str) -> None:
    with pytest.raises(ModelError, match=complaint):
        build()


# --- surfaces of bodies -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "planar", "words"),
    [
        (sphere("ball", 0.5, 1.0), False, "sphere of radius 0.5 m"),
        (sphere("ball", 0.5, 1.0), True, "disk of radius 0.5 m"),
        (percuss.disk("disk", 1.0, 1.0), True, "disk of radius 1 m"),
        (percuss.disk("disk", 1.0, 1.0), False, "cylinder of radius 1 m and length 0.2 m"),
        (percuss.box("box", (1, 2, 3), 1.0), False, "box of 1 × 2 × 3 m"),
        (percuss.box("box", (1, 2, 3), 1.0), True, "rectangle of 1 × 2 m"),
        (percuss.rod("rod", 2.0, 1.0), True, "rectangle of 2 × 0.12 m"),
    ],
)
def test_surface_of_a_body(body: Body, planar: bool, words: str) -> None:
    assert surface_of(body, planar).describe() == words


def test_grips_of_the_library_are_on_the_surface() -> None:
    for entry in percuss.robots():
        if entry.kind != "target":
            continue
        target = entry.build()
        surface = surface_of(target.base, target.is_planar)
        gap = surface.distance(target.frame("grip").placement.position)
        assert gap == pytest.approx(0.0, abs=1e-15), f"grip of {entry.name}"


@settings(deadline=None, max_examples=30)
@given(seed=SEEDS)
def test_outline_of_a_body_in_the_plane(seed: int) -> None:
    """Its distance is that of the solid, for points in the middle plane of the solid."""
    rng = np.random.default_rng(seed)
    x, y, angle = rng.normal(size=3).tolist()
    quarter = math.pi / 2
    placed = Pose.planar(x, y, angle)
    turned = placed @ Pose.at(rpy=tuple(quarter * rng.integers(0, 4, 3)))
    for look in (
        Visual("box", (1.0, 2.0, 3.0), turned),
        Visual("cylinder", (0.3, 5.0), turned),
        Visual("sphere", (0.7,), placed),
    ):
        body = Body("body", 1.0, visuals=(look,))
        points = np.stack([*(0.6 * rng.normal(size=(2, 100)) + [[x], [y]]), np.zeros(100)])
        outline = distances(surface_of(body, planar=True), points)
        solid = distances(surface_of(body), points)
        outside = outline > 0
        np.testing.assert_allclose(outline[outside], solid[outside], atol=1e-14)
        np.testing.assert_array_equal(solid > 1e-14, outline > 1e-14)


def test_bodies_without_a_surface_are_refused() -> None:
    look = Visual("box", (1.0, 1.0, 1.0))
    ghost = replace(look, color=(0.5, 0.5, 0.5, 0.5))
    tilted = replace(look, placement=Pose.at(quaternion=unit_quaternion(np.random.default_rng(1))))
    flat = replace(look, size=(1.0, 0.0, 1.0))
    lying = Visual("cylinder", (1.0, 1.0), Pose.at(rpy=(0.3, 0.0, 0.0)))
    for visuals, planar, complaint in (
        ((), False, "body 'target': .* got 0; it is drawn with: nothing"),
        ((ghost,), False, "got 0; it is drawn with: box"),
        ((look, look), False, "got 2; it is drawn with: box, box"),
        ((Visual("mesh", (1.0, 1.0, 1.0)),), False, "got 0; it is drawn with: mesh"),
        ((tilted,), True, "must have an axis along z"),
        ((lying,), True, "a cylinder of a planar body must have an axis along z"),
        ((flat,), False, "body 'target': box: size y must be finite and > 0 m, got 0"),
    ):
        with pytest.raises(ModelError, match=complaint):
            surface_of(Body("target", 1.0, visuals=visuals), planar)
    assert surface_of(Body("target", 1.0, visuals=(ghost, look))).describe() == "box of 1 × 1 × 1 m"
