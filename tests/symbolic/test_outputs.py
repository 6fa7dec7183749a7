"""Generated Python and C compute what the numeric engine computes; LaTeX is well formed."""

from __future__ import annotations

import ctypes
import html
import re
import shutil
import subprocess
import sysconfig
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from percuss.algebra import Pose
from percuss.dynamics import coriolis_forces, gravity_forces, mass_matrix
from percuss.kinematics import jacobian
from percuss.model import (
    Body,
    Frame,
    Joint,
    ModelError,
    PlanarArm,
    PlanarLink,
    Prismatic,
    Revolute,
    System,
    dh_arm,
    planar_robot,
    robot,
)
from percuss.model.dh import DHLink
from percuss.symbolic import derive, derive_system, formulas, to_c, to_latex, to_python
from percuss.symbolic.derivation import Derivation
from percuss.symbolic.systems import SystemPart, parts
from tests.strategies import Array, State, random_state
from tests.truth.compare import assert_same

ROOT = Path(__file__).parents[2]
SCENARIOS = (
    "thesis-1",
    "fixed-base",
    "offset-mount",
    "tumbling-2d",
    "two-arms",
    "bounce",
    "pin-3d",
)
ROBOTS = ("lecture", "2r-fixed", "percussion", "air-bearing-3r", "demo-7", "envisat")
SOURCES = [*(str(ROOT / "scenarios" / f"{name}.yaml") for name in SCENARIOS), *ROBOTS]
COMPILER = shutil.which("cc")
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)
MATHJAX = next(
    Path(sysconfig.get_paths()["purelib"]).glob("sphinx-mathjax-offline/**/tex-chtml.js"), None
)
TOLERANCE = 1e-12

derived = cache(derive)
"""One derivation serves all languages."""

Call = Callable[[str, State, tuple[int, ...]], Array]


def truth(part: SystemPart, state: State) -> Iterator[tuple[str, Array]]:
    """(function, value) by the numeric engine."""
    system = part.system
    yield "mass_matrix", mass_matrix(system, state.q)
    yield "coriolis_forces", coriolis_forces(system, state.q, state.v)
    yield "gravity_forces", gravity_forces(system, state.q)
    for frame in part.frames:
        J = jacobian(system, state.q, frame)
        yield f"jacobian_{frame}", J[[0, 1, 5]] if system.is_planar else J


def assert_functions_agree(made_of: tuple[SystemPart, ...], call: Call) -> None:
    for part in made_of:
        for seed in (1, 2):
            state = random_state(np.random.default_rng(seed), part.system)
            for name, value in truth(part, state):
                ours = call(f"{part.name}_{name}", state, value.shape)
                scale = 1.0 + float(np.linalg.norm(mass_matrix(part.system, state.q)))
                assert_same(ours, value, f"{part.title}, {name}", TOLERANCE, scale)


def python_call(text: str) -> Call:
    """Calls functions of a module that is given as text."""
    namespace: dict[str, Any] = {}
    exec(compile(text, "generated", "exec"), namespace)

    def call(name: str, state: State, shape: tuple[int, ...]) -> Array:
        function = namespace[name]
        value = function(state.q, state.v) if "coriolis" in name else function(state.q)
        assert value.shape == shape
        assert value.dtype == float
        return value

    return call


def c_call(text: str, folder: Path) -> Call:
    """Calls functions of a source file that is compiled with every warning on."""
    source, library = folder / "generated.c", folder / "generated.so"
    source.write_text(text, encoding="utf-8")
    flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    command = [str(COMPILER), *flags, "-o", str(library), str(source), "-lm"]
    made = subprocess.run(command, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr[:3000]
    loaded = ctypes.CDLL(str(library))
    pointer = ctypes.POINTER(ctypes.c_double)

    def call(name: str, state: State, shape: tuple[int, ...]) -> Array:
        system = name.partition("_")[0]
        values = ctypes.byref(ctypes.c_double.in_dll(loaded, f"{system}_values"))
        out = np.empty(int(np.prod(shape)))
        inputs = [state.q, state.v] if "coriolis" in name else [state.q]
        arrays = [np.ascontiguousarray(x, float) for x in (*inputs, out)]
        arrays[-1] = out
        getattr(loaded, name)(values, *(x.ctypes.data_as(pointer) for x in arrays))
        return out.reshape(shape)

    return call


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: Path(s).stem)
def test_generated_python_agrees_with_the_engine(source: str) -> None:
    text = to_python(derived(source), "a system")
    assert re.findall(r"^\s*(?:from|import) (\w+)", text, re.MULTILINE) == ["numpy"]
    assert_functions_agree(parts(source), python_call(text))


@pytest.mark.skipif(COMPILER is None, reason="there is no C compiler")
@pytest.mark.parametrize("source", SOURCES, ids=lambda s: Path(s).stem)
def test_generated_c_agrees_with_the_engine(source: str, tmp_path: Path) -> None:
    assert_functions_agree(parts(source), c_call(to_c(derived(source), "a system"), tmp_path))


def odd_systems() -> Iterator[System]:
    """Turned mounts, prismatic joints, axes against z, several arms, oblique gravity."""
    base = Body.planar("base", 20.0, 3.0, (0.1, -0.2))
    links = [
        PlanarLink(1.0, 2.0, joint="prismatic"),
        PlanarLink(0.7, 1.5, com=0.2, inertia=0.3),
    ]
    arms = {"left": PlanarArm(links, (0.3, 0.2), 0.4), "right": PlanarArm(links[::-1], (0.0, -0.2))}
    yield planar_robot(arms, base=base, gravity=(1.0, -3.0, 0.0), name="two odd arms")
    bodies = (
        Body.planar("first", 2.0, 0.5, (0.5, 0.1)),
        Body.planar("second", 1.0, 0.2, (0.3, 0.0)),
    )
    joints = (
        Joint(
            name="shoulder",
            motion=Revolute((0, 0, -1)),
            parent="world",
            child="first",
            placement=Pose.planar(0.1, 0.2, 0.3),
        ),
        Joint(
            name="slide",
            motion=Prismatic((0.6, 0.8, 0)),
            parent="first",
            child="second",
            placement=Pose.planar(1.0, 0.0, -0.5),
        ),
    )
    frames = (Frame("tool", "second", Pose.planar(0.4, 0.1, 0.0)),)
    yield System("backwards", bodies, joints, frames, gravity=(0.0, -9.81, 0.0))  # type: ignore[arg-type]
    table = [
        DHLink(
            a=0.4,
            alpha=0.1,
            d=1.2,
            theta=0.0,
            mass=3.0,
            com=(0.1, 0.0, 0.05),
            inertia=(0.1, 0.2, 0.15),
        ),
        DHLink(
            a=0.5,
            alpha=0.0,
            d=-0.3,
            theta=0.2,
            mass=2.0,
            com=(0.2, 0.0, 0.0),
            inertia=(0.1, 0.1, 0.1),
        ),
    ]
    yield dh_arm(table)


@pytest.mark.parametrize("system", list(odd_systems()), ids=lambda s: s.name)
def test_odd_systems(system: System) -> None:
    part = SystemPart(
        name="arm",
        title=system.name,
        system=system,
        frames=tuple(f.name for f in system.frames),
        labels={},
    )
    text = to_python([derive_system(system)], system.name)
    assert_functions_agree((part,), python_call(text))


def test_parameters_can_be_changed_in_what_was_generated() -> None:
    text = to_python(derive("thesis"), "thesis")
    namespace: dict[str, Any] = {}
    exec(text, namespace)
    q = np.array([0.0, 0.0, 0.3, -0.4, 0.8])
    heavier = namespace["ARM_PARAMETERS"] | {"m2": 25.0}
    truth = mass_matrix(robot("thesis").with_parameters({"link2.mass": 25.0}), q)
    assert_same(namespace["arm_mass_matrix"](q, heavier), truth, "M with m2 = 25 kg", 1e-14)


def test_thesis_in_the_initial_pose() -> None:
    namespace: dict[str, Any] = {}
    exec(to_python(derive(str(ROOT / "scenarios" / "thesis-1.yaml")), "thesis"), namespace)
    p = (1.0, 2.0, np.pi / 2, 0.0, 0.0)
    M = [
        [120, 0, -45, -45, -15],
        [0, 120, 0, 0, 0],
        [-45, 0, 193 + 1 / 3, 143 + 1 / 3, 60],
        [-45, 0, 143 + 1 / 3, 143 + 1 / 3, 60],
        [-15, 0, 60, 60, 30],
    ]
    assert_same(namespace["arm_mass_matrix"](p), M, "M of the thesis", 1e-15)
    C = namespace["arm_coriolis_forces"](p, (0.1, -0.2, 0.3, -0.4, 0.5))
    assert_same(C, [0, -2.7, 0, 0, 0], "C of the thesis", 1e-15)
    J = [[1, 0, -5, -5, -3], [0, 1, 0, 0, 0], [0, 0, 1, 1, 1]]
    assert_same(namespace["arm_jacobian_tool"](p), J, "J of the thesis", 1e-15)


def test_names_are_those_a_person_gives() -> None:
    (arm,) = derive("thesis")
    named = {str(d.quantity.symbol): str(d.expression) for d in arm.definitions}
    assert named["c2"] == "cos(q2)"
    assert named["s012"] == "sin(q1 + q2 + theta0)"
    assert named["w01"] == "q1_dot + theta0_dot"
    assert {str(p.symbol) for p in arm.parameters} >= {"m_b", "m1", "m2", "l1", "l2", "I1", "a2"}
    values = {str(p.symbol): p.value for p in arm.parameters}
    assert (values["m_b"], values["l2"], values["a2"], values["I2"]) == (100.0, 3.0, 1.5, 7.5)
    assert len(to_latex([arm], "thesis")) < 3000, "one page"


def test_closed_forms_are_of_human_size() -> None:
    """An entry of M of a three-link arm on a free base fits on two lines, one of C on four."""
    (arm,) = derive("air-bearing-3r")
    made = formulas(arm)
    assert max(len(line) for line in made["M"].splitlines()) < 400
    assert max(len(line) for line in made["C"].splitlines()) < 260


def test_in_time() -> None:
    started = time.perf_counter()
    derive("thesis")
    two = time.perf_counter() - started
    derive("air-bearing-3r")
    three = time.perf_counter() - started - two
    assert two < 10, f"a planar two-link arm on a free base takes {two:.1f} s"
    assert three < 60, f"a three-link one takes {three:.1f} s"


# --- LaTeX --------------------------------------------------------------------------------------

COMMANDS = {
    *("begin", "end", "subsection", "alpha", "beta", "theta", "omega", "dot", "cos", "sin"),
    *("tau", "mathrm", "text", "cdot", "tfrac", "frac", "quad"),
}
"""All of them known to LaTeX with amsmath and, in formulas, to MathJax."""


def assert_well_formed(text: str) -> None:
    opened: list[str] = []
    for token in re.findall(r"\\begin\{\w+\}|\\end\{\w+\}|\\\[(?!\d)|\\\]|\\[{}]|[{}]", text):
        if token.startswith("\\begin"):
            opened.append(token[6:])
        elif token.startswith("\\end"):
            assert opened.pop() == token[4:]
        elif token == "\\[" or token == "{":
            opened.append(token)
        elif token == "\\]":
            assert opened.pop() == "\\["
        elif token == "}":
            assert opened.pop() == "{"
    assert not opened
    assert set(re.findall(r"\\([a-zA-Z]+)", text)) <= COMMANDS
    for block in re.findall(r"\\\[\n(.*?)\n\\\]", text, re.DOTALL):
        assert "nan" not in block
        for body in re.findall(r"\\begin\{bmatrix\}\n(.*?)\n\\end", block, re.DOTALL):
            assert len({row.count("&") for row in body.split("\\\\\n")}) == 1, "ragged matrix"


@pytest.mark.parametrize("source", SOURCES, ids=lambda s: Path(s).stem)
def test_latex_is_well_formed(source: str) -> None:
    assert_well_formed(to_latex(derived(source), "a system"))


@pytest.mark.skipif(CHROMIUM is None or MATHJAX is None, reason="needs chromium and MathJax")
def test_mathjax_shows_every_formula(tmp_path: Path) -> None:
    sources = [str(ROOT / "scenarios" / "offset-mount.yaml"), "air-bearing-3r", "lecture", "cube"]
    found = [f for source in sources for d in derive(source) for f in formulas(d).values()]
    assert MATHJAX is not None
    shown = "\n".join(f"<p>\\[{html.escape(formula)}\\]</p>" for formula in found)
    page = tmp_path / "page.html"
    page.write_text(f'<body>{shown}<script src="{MATHJAX.as_uri()}"></script></body>')
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--allow-file-access-from-files"]
    command += [f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=8000"]
    result = subprocess.run(
        [*command, "--dump-dom", page.as_uri()], capture_output=True, timeout=120
    )
    document = result.stdout.decode(errors="replace")
    assert not re.findall(r'data-mjx-error="[^"]*"', document)
    assert document.count("<mjx-container") == len(found)


def test_entries_of_the_forces_are_not_mistaken_for_cosines() -> None:
    for derivation in derive(str(ROOT / "scenarios" / "thesis-1.yaml")):
        assert_no_clash(derivation)


def assert_no_clash(derivation: Derivation) -> None:
    letters = [d.quantity.latex for d in derivation.definitions]
    letters += [q.latex for q in (*derivation.coordinates, *derivation.rates)]
    letters += [q.latex for q in derivation.parameters]
    assert len(set(letters)) == len(letters), "one name, one thing"
    assert not any(re.match(r"[MCGJ]_", name) for name in letters)


# --- hostile input ------------------------------------------------------------------------------


def test_unknown_sources_are_refused() -> None:
    with pytest.raises(ModelError, match="Did you mean 'thesis'"):
        derive("thesiss")
    with pytest.raises(ModelError, match="no such file"):
        derive("nowhere.yaml")


def test_names_that_mean_something_elsewhere_are_kept_from_it(tmp_path: Path) -> None:
    system = robot("2r-fixed").with_frames(Frame('*/ "x" \\end{a}', "link2"))
    derivation = derive_system(system, title='ti"tle */ """ \\ {')
    namespace: dict[str, Any] = {}
    exec(to_python([derivation], 'a """ b \\'), namespace)
    assert_well_formed(to_latex([derivation], "a system"))
    if COMPILER is not None:
        c_call(to_c([derivation], "a */ b"), tmp_path)
