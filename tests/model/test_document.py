"""Systems as dictionaries and YAML files: exact round trips and errors that name the line."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import percuss
from percuss import ModelError
from percuss.model.document import system_from_dict, system_to_dict
from percuss.model.library.entry import LibraryEntry
from percuss.model.systems import Limits
from tests.strategies import random_state, random_system

GOOD = """\
name: arm
bodies:
  - {name: base, mass: 10, inertia: [1, 1, 1]}
  - {name: link, mass: 1e-1, com: [0.5, 0, 0], inertia: {xx: 0, yy: 1e-2, zz: 1e-2}}
joints:
  - {name: base, kind: free, parent: world, child: base}
  - name: hinge
    kind: revolute
    axis: [0, 0, 1]
    parent: base
    child: link
    placement: {position: [0.5, 0, 0], rpy: [0, 0, 1.5]}
    limits: {lower: -1, upper: 1, effort: 5}
    friction: {viscous: 0.1}
frames:
  - {name: tool, body: link, placement: {position: [1, 0, 0]}}
"""


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1))
def test_any_system_survives_a_dictionary(seed: int) -> None:
    rng = np.random.default_rng(seed)
    system = random_system(rng, int(rng.integers(1, 8)), friction=True)
    again = percuss.system_from_dict(percuss.system_to_dict(system))
    state = random_state(rng, system)
    assert again.rate_names == system.rate_names
    a = percuss.forward_dynamics(system, state.q, state.v, state.tau)
    b = percuss.forward_dynamics(again, state.q, state.v, state.tau)
    np.testing.assert_allclose(b, a, rtol=1e-9, atol=1e-9 * (1 + np.abs(a).max()))


@pytest.mark.parametrize("entry", percuss.robots(), ids=lambda entry: entry.name)
def test_library_robots_survive_a_file(entry: LibraryEntry, tmp_path: Path) -> None:
    system = percuss.robot(entry.name)
    path = tmp_path / "robot.yaml"
    percuss.save_system(system, path)
    again = percuss.load_system(path)
    assert str(again) == str(system)
    q, v = percuss.neutral(system), np.ones(system.rate_count)
    np.testing.assert_allclose(
        percuss.bias_forces(again, q, v), percuss.bias_forces(system, q, v), atol=1e-12
    )
    assert [p.name for p in tmp_path.iterdir()] == ["robot.yaml"], "a temporary file was left"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "arm.yaml"
    path.write_text(text)
    return path


def test_a_file_is_read_with_all_its_fields(tmp_path: Path) -> None:
    system = percuss.load_system(write(tmp_path, GOOD))
    assert system.node("link").body.mass == 0.1, "1e-1 is a number"
    assert system.joint("hinge").limits.effort == 5
    assert system.joint("hinge").friction.viscous == 0.1
    assert system.frame("tool").placement.position.x == 1


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("mass: 10", "mas: 10", r"line 3: body: unknown key 'mas'. Did you mean 'mass'\?"),
        ("mass: 10", "mass: -10", r"line 3: body 'base': mass must be finite and > 0 kg, got -10"),
        ("mass: 10", "mass: ten", r"line 3: body 'base': mass must be a number, got 'ten'"),
        ("mass: 10", "mass: .nan", r"line 3: body 'base': mass must be finite"),
        ("mass: 10", "mass: 10, mass: 11", r"line 3: the key 'mass' is given twice"),
        ("[1, 1, 1]", "[1, 1, 3]", r"line 3: .*triangle inequality"),
        ("[1, 1, 1]", "[1, 1]", r"inertia"),
        ("kind: revolute", "kind: hinge", r"kind must be one of revolute.*got 'hinge'"),
        ("axis: [0, 0, 1]", "axis: [0, 0]", r"line 9: .*axis must be a list of 3 numbers"),
        ("axis: [0, 0, 1]", "axis: [0, 0, 0]", r"axis must be a finite vector of length > 0"),
        ("parent: base", "parent: bse", r"unknown parent 'bse'"),
        ("{lower: -1, upper: 1, effort: 5}", "{lower: 1, upper: -1}", r"limits reversed"),
        ("{lower: -1, upper: 1, effort: 5}", "{low: 1}", r"unknown key 'low'"),
        ("name: arm", "nmae: arm", r"line 1: system: unknown key 'nmae'"),
        ("    child: link\n", "", r"line 7: joint: the key 'child' is missing"),
        ("rpy: [0, 0, 1.5]", "rpy: [0, 0, 1.5], quaternion: [1, 0, 0, 0]", r"not both"),
        ("rpy: [0, 0, 1.5]", "quaternion: [0, 0, 0, 0]", r"quaternion must not be zero"),
        ("frames:", "frames: 3\nmode:", r"frames must be a list"),
        ("bodies:", "bodies: [\n", r"not valid YAML"),
        ("name: hinge", "name: [hinge]", r"line 7: joint: name must be text, got \['hinge'\]"),
        ("name: hinge", "name: {a: 1}", r"line 7: joint: name must be text, got \{'a': 1\}"),
        ("kind: revolute", "kind: [revolute]", r"line 8: joint 'hinge': kind must be text"),
        ("parent: base", "parent: {a: 1}", r"line 10: joint 'hinge': parent must be text"),
        ("child: link", "child: [link]", r"line 11: joint 'hinge': child must be text"),
        ("name: tool", "name: [tool]", r"line 16: frame: name must be text"),
        ("body: link", "body: {a: 1}", r"line 16: frame 'tool': body must be text"),
        ("name: base, mass", "name: [base], mass", r"line 3: body: name must be text"),
        ("name: arm", "name: null", r"line 1: system: name must be text, got None"),
        ("name: arm", "name: 5", r"line 1: system: name must be text, got 5; put it in quotes"),
        ("name: arm", "name: arm\nsource: 5", r"line 2: system: source must be text, got 5"),
        ("name: arm", "name: arm\nmode: [fixed]", r"line 2: system: mode must be text"),
        ("name: arm", "name: arm\nmode: loose", r"line 2: system: base mode 'loose' is not one of"),
        ("name: arm", "name: arm\ngravity: [0]", r"gravity must be a list of 2 or 3 numbers"),
        ("name: arm", "name: arm\nzzz: 1", r"unknown key 'zzz'\. Allowed: name, mode"),
        ("mass: 10", f"mass: {'9' * 400}", r"line 3: body 'base': mass must be finite, got a num"),
        ("[1, 1, 1]", f"[1, 1, {'9' * 400}]", r"line 3: .*too large"),
        ("mass: 10", f"mass: {'9' * 5000}", r"5000 characters; allowed are at most 400"),
        ("mass: 10", "mass: 2020-99-99", r"line 3: not valid YAML: '2020-99-99' is no timestamp"),
        ("mass: 10", "mass: !!bool maybe", r"line 3: not valid YAML: 'maybe' is no bool"),
        ("mass: 10", "mass: !!int abc", r"line 3: not valid YAML: 'abc' is no int"),
        ("mass: 10", "mass: null", r"line 3: body 'base': mass must be a number, got None"),
        ("com: [0.5, 0", "com: [0.5, null", r"line 4: body 'link': com must be a number, got None"),
        ("mass: 10", "mass: \0", r"line 3: not valid YAML: the character '\\x00' is not allowed"),
        ("mass: 10", f"mass: {'[' * 5000}{']' * 5000}", r"nested too deeply"),
    ],
)
def test_mistakes_name_line_field_value_and_what_is_allowed(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in GOOD
    with pytest.raises(ModelError, match=message):
        percuss.load_system(write(tmp_path, GOOD.replace(old, new)))


def test_files_that_are_no_text_and_folders_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "arm.yaml"
    path.write_bytes(b"name: arm\nbodies: \xff\xfe\x00")
    with pytest.raises(ModelError, match=r"arm.yaml, line 2: not text in UTF-8: byte 0xff"):
        percuss.load_system(path)
    with pytest.raises(ModelError, match=r"is a folder; expected a YAML file"):
        percuss.load_system(tmp_path)


def test_dictionaries_too_deep_to_print_are_refused() -> None:
    deep: list[object] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ModelError, match=r"system: name must be text, got \[+\.\.\.\]+"):
        percuss.system_from_dict({"name": deep, "bodies": [], "joints": []})


def test_gravity_may_have_two_entries(tmp_path: Path) -> None:
    system = percuss.load_system(write(tmp_path, GOOD + "gravity: [0, -9.81]\n"))
    assert tuple(system.gravity) == (0.0, -9.81, 0.0)


@pytest.mark.parametrize("length", [0, 1, 20, 60, 150, 300, 420])
def test_truncated_files_are_refused_or_still_a_system(tmp_path: Path, length: int) -> None:
    with pytest.raises(ModelError):
        percuss.load_system(write(tmp_path, GOOD[:length]))


def test_symbols_do_not_go_into_files(tmp_path: Path) -> None:
    import sympy

    system = percuss.robot("thesis").with_parameters({"base.mass": sympy.Symbol("m")})
    with pytest.raises(ModelError, match="only numbers can be written"):
        percuss.save_system(system, tmp_path / "x.yaml")
    assert not list(tmp_path.iterdir())


def test_what_is_not_limited_is_not_written() -> None:
    """Infinity is no number in JSON, and no file needs it to say that there is no limit."""
    link = percuss.PlanarLink(length=1.0, mass=1.0)
    limits = Limits(lower=-1.0, effort=5.0)
    arm = percuss.planar_arm([link])
    arm = replace(arm, joints=(*arm.joints[:-1], replace(arm.joints[-1], limits=limits)))
    document = json.loads(json.dumps(system_to_dict(arm), allow_nan=False))
    assert document["joints"][-1]["limits"] == {"lower": -1.0, "effort": 5.0}
    assert system_from_dict(document) == arm


@pytest.mark.parametrize(
    ("shape", "size", "said"),
    [
        ("box", [1.4, 1.2], "in the size of a box .m.: 3, got"),
        ("sphere", [1.4, 1.2], "in the size of a sphere .m.: 1, got"),
        ("cone", [1.4, 1.2], "one of box, cylinder, sphere, mesh, got 'cone'"),
    ],
)
def test_a_shape_that_is_none_is_refused(
    tmp_path: Path, shape: str, size: list[float], said: str
) -> None:
    path = tmp_path / "robot.yaml"
    looks = f"visuals: [{{shape: {shape}, size: {size}}}]"
    path.write_text(GOOD.replace("mass: 10,", f"mass: 10, {looks},"))
    with pytest.raises(ModelError, match=said):
        percuss.load_system(path)
