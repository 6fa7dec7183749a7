"""Bad scenarios: every message gives file, line, field, value and what is allowed."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

import pytest

from percuss.model.errors import ModelError
from percuss.scenario import Scenario, ScenarioError, load, loads
from tests.scenario.examples import PLANAR, SPATIAL, URDF, with_block

CT = "control: {law: computed-torque, natural-frequency: 1"

# (what to replace, by what, line, field, words of the message)
PLANAR_MISTAKES: list[tuple[str, str, int, str, str]] = [
    # values and units
    ("mass: 15", "mass: -15", 16, "target.mass", "must be a number in kg > 0, got -15"),
    ("mass: 15", "mass: 0", 16, "target.mass", "must be a number in kg > 0, got 0"),
    ("mass: 15", "mass: heavy", 16, "target.mass", "in kg > 0, got 'heavy': not a number"),
    ("mass: 15", "mass: 15 m", 16, "target.mass", "kg > 0, got '15 m', which is a length"),
    ("mass: 15", "mass: 15 kgs", 16, "target.mass", "'kgs' is not a unit. Did you mean 'kg'?"),
    ("mass: 15", "mass: 250,5", 16, "target.mass", "not a comma: write 250.5"),
    ("mass: 15", "mass: 250,5 kg", 16, "target.mass", "not a comma: write 250.5"),
    ("mass: 15", "mass: 1,250.5", 16, "target.mass", "has no commas: write 1250.5"),
    ("duration: 10 s", "duration: 60 sec", 24, "duration", "'sec' is not a unit: write s"),
    ("duration: 10 s", "duration: 2 Minutes", 24, "duration", "'Minutes' is not a unit: write min"),
    ("mass: 15", "mass: [15]", 16, "target.mass", "must be a number in kg > 0, got [15]"),
    ("mass: 15", "mass: {a: 1}", 16, "target.mass", "must be a number in kg > 0, got {'a': 1}"),
    ("mass: 15", "mass: true", 16, "target.mass", "must be a number in kg > 0, got True"),
    ("mass: 15", "mass: .nan", 16, "target.mass", "must be finite, a number in kg > 0, got nan"),
    ("mass: 15", "mass: .inf", 16, "target.mass", "must be finite, a number in kg > 0, got inf"),
    ("mass: 15", "mass: 1e30", 16, "target.mass", "at most 1e+15, got 1e+30"),
    ("mass: 15", "mass: 1e-30", 16, "target.mass", "at least 1e-12, got 1e-30"),
    ("mass: 15", "mass:", 16, "target.mass", "is empty; give a value, or leave the key out"),
    ("mass: 15", "mass: 2020-01-01", 16, "target.mass", "got a date"),
    ("angle: 90 deg", "angle: 3 m", 11, "chaser.angle", "in rad, got '3 m', which is a length"),
    ("angle: 90 deg", "angle: 90 1/s", 11, "chaser.angle", "in rad, got '90 1/s'"),
    ("duration: 10 s", "duration: 10 m", 24, "duration", "in s > 0 and ≤ 1e+06, got '10 m'"),
    ("duration: 10 s", "duration: 0", 24, "duration", "must be a number in s > 0"),
    ("duration: 10 s", "duration: -1 s", 24, "duration", "must be a number in s > 0"),
    ("position: [1, 2]", "position: [1]", 10, "chaser.position", "list of 2 or 3 numbers in m"),
    ("position: [1, 2]", "position: [1, a]", 10, "chaser.position", "entry 2 must be a number"),
    ("position: [1, 2]", "position: 1", 10, "chaser.position", "list of 2 or 3 numbers in m"),
    # keys
    ("mass: 15", "mas: 15", 16, "target.mas", "unknown key 'mas', got mas: 15. Did you mean"),
    ("duration: 10 s", "durations: 10 s", 24, "durations", "Did you mean 'duration'?"),
    ("closure: pin", "closures: pin", 22, "impact.closures", "Did you mean 'closure'?"),
    ("length: 2.0", "lenght: 2.0", 7, "chaser.arm[1].lenght", "Did you mean 'length'?"),
    ("angle: 90 deg", "1: 90 deg", 11, "chaser.1", "a key must be text, got 1"),
    ("duration: 10 s", "# none", 1, "duration", "is missing. Give duration"),
    ("  closure: pin ", "  # closure: pin ", 21, "impact", "is empty"),
    ("length: 2.0, ", "", 7, "chaser.arm[1].length", "is missing. Give length: From its joint"),
    ("shape: disk, mass: 100, ", "shape: disk, ", 3, "chaser.base.mass", "is missing"),
    # choices and forms
    ("closure: pin", "closure: pinn", 22, "impact.closure", "got 'pinn'. Did you mean 'pin'?"),
    ("closure: pin", "closure: 3", 22, "impact.closure", "must be one of pin, weld, published"),
    ("mode: free-flying", "mode: free flying", 5, "chaser.mode", "Did you mean 'free-flying'?"),
    ("joint: revolute", "joint: spherical", 7, "chaser.arm[1].joint", "revolute, prismatic"),
    ("shape: disk\n", "shape: disc\n", 15, "target.shape", "Did you mean 'disk'?"),
    ("control: {law: none}", "control: none", 23, "control", "must be a mapping with law, nat"),
    ("control: {law: none}", "control: [1]", 23, "control", "must be a mapping with law"),
    ("control: {law: none}", "control: {law: null}", 23, "control.law", "is empty"),
    ("contact: {angle: 0.5}", "contact: rim", 18, "target.contact", "a point, or a mapping with"),
    ("name: thesis simulation 1", "name: 1", 1, "name", "must be text, a title, got 1; put it in"),
    ("name: thesis simulation 1", "seed: -1", 1, "seed", "must be a whole number from 0 to"),
    ("name: thesis simulation 1", "output: {samples: 1}", 1, "output.samples", "from 2 to"),
    # the chaser
    ("  mount: [0, 0]", "  robot: demo-7", 2, "chaser", "exactly one of arm, arms, urdf, robot"),
    ("shape: disk, mass: 100", "mass: 100", 3, "chaser.base.inertia", "is missing"),
    (", radius: 1.0}     #", "}     #", 3, "chaser.base.radius", "shape disk needs radius"),
    ("radius: 1.0}     #", "radius: 1, size: [1, 1]} #", 3, "chaser.base.size", "does not belong"),
    ("base: {shape: disk", "base: {shape: cylinder", 3, "chaser.base.shape", "one of disk, box"),
    ("mount: [0, 0]", "mount: {a: [0, 0]}", 4, "chaser.mount", "of one arm is a point [x, y]"),
    ("mount: [0, 0]", "parameters: {a.mass: 1}", 4, "chaser.parameters", "goes with models (urdf"),
    ("joints: [0, 0]\n", "joints: [0]\n", 12, "chaser.joints", "must have 2 entries, one for each"),
    ("joints: [0, 0]\n", "joints: {joint3: 1}\n", 12, "chaser.joints.joint3", "Did you mean"),
    ("joints: [0, 0]\n", "joints: [0, 1 m]\n", 12, "chaser.joints", "'joint2' must be in rad"),
    ("joints: [0, 0]}", "joints: [0, 1 rad]}", 13, "chaser.velocity.joints", "rad/s or m/s"),
    ("tool: {link: 2, at: 3.0}", "tool: {link: 3}", 9, "chaser.tool.link", "from 1 to 2"),
    ("tool: {link: 2, at: 3.0}", "tool: {link: 0}", 9, "chaser.tool.link", "from 1 on, or its"),
    ("tool: {link: 2, at: 3.0}", "tool: {arm: left}", 9, "chaser.tool.arm", "goes with chaser.arm"),
    ("tool: {link: 2, at: 3.0}", "tool: tol", 9, "chaser.tool", "no frame or body 'tol'"),
    ("tool: {link: 2, at: 3.0}", "tool: {}", 9, "chaser.tool", "or have link and at, got neither"),
    ("tool: {link: 2, at: 3.0}", "tool: 2", 9, "chaser.tool", "the name of a frame, or a mapping"),
    ("length: 2.0", "length: 2, torque: 5 N", 7, "chaser.arm[1].torque", "must be in N m, got 5"),
    ("length: 2.0", "length: 2, limits: [2, 1]", 7, "chaser.arm[1].limits", "must not exceed"),
    ("length: 2.0", "length: 2, limits: 1", 7, "chaser.arm[1].limits", "[lower, upper]"),
    ("length: 2.0", "length: 2, limits: [1 m, 2 m]", 7, "chaser.arm[1].limits", "must be in rad"),
    ("length: 2.0", "length: 2, friction: -1", 7, "chaser.arm[1].friction", "≥ 0, got -1"),
    # the target
    ("  mass: 15\n", "", 14, "target.mass", "is missing. Give mass: a mass in kg > 0, or an obj"),
    ("  contact: {angle: 0.5} ", "  # ", 14, "target.contact", "is missing. Give contact: a point"),
    ("contact: {angle: 0.5}", "contact: {}", 18, "target.contact", "got neither"),
    ("  mass: 15", "  object: disk", 15, "target.shape", "does not go with object"),
    ("  mass: 15", "  mass: 15\n  position: [1, 1]", 17, "target.position", "goes with approach"),
    ("shape: disk\n  mass: 15\n", "object: cube\n", 16, "target.radius", "does not go with object"),
    ("  radius: 1.0\n", "  radius: 1.0\n  inertia: {xx: 1}\n", 18, "target.inertia", "yy, zz miss"),
    # planar and spatial
    ("position: [1, 2]", "position: [1, 2, 0]", 10, "chaser.position", "is spatial (3 entries"),
    ("angle: 90 deg", "orientation: [1, 0, 0, 0]", 11, "chaser.orientation", "is spatial"),
    ("linear: [-1, 0]", "linear: [-1, 0, 0]", 20, "target.velocity.linear", "do not mix"),
    ("{angle: 0.5}", "[1, 0, 0]", 18, "target.contact", "planar because of chaser.arm"),
    ("name: thesis simulation 1", "gravity: [0, 0, -9.81]", 1, "gravity", "is spatial"),
]  # fmt: skip

BLOCK_MISTAKES: list[tuple[str, str, str]] = [
    # (block, field, words of the message)
    ("impact: {closure: pin, restitution: 0.5}", "impact.restitution", "is for closure bounce"),
    ("impact: {closure: weld, friction: 0.5}", "impact.friction", "not for weld, got 0.5"),
    ("impact: {closure: bounce}", "impact.restitution", "needs a number from 0 to 1"),
    ("impact: {closure: bounce, restitution: 1.5}", "impact.restitution", "≥ 0 and ≤ 1, got 1.5"),
    ("impact: {closure: bounce, restitution: 1, friction: -1}", "impact.friction", "≥ 0, got -1"),
    ("impact: {closure: bounce, restitution: 1, normal: [0, 0]}", "impact.normal", "be zero"),
    ("impact: {closure: bounce, restitution: 1, force: [0, 1]}", "impact.force", "closure pulse"),
    ("impact: {closure: bounce, restitution: 1, repeat: 3}", "impact.repeat", "below, then, most"),
    ("impact: {closure: pulse}", "impact.force", "closure pulse needs a vector in N"),
    ("impact: {closure: compliant, stiffness: 1}", "impact", "needs damping or restitution"),
    (
        "impact: {closure: compliant, law: linear, stiffness: 1 N/m^1.5, restitution: 1}",
        "impact.stiffness",
        "of law linear must be in N/m",
    ),
    ("control: {law: pid}", "control.law", "Did you mean 'pd'?"),
    ("control: {law: ic2}", "control.law", "closure pin is instantaneous"),
    ("control: {law: none, kp: 1}", "control.kp", "is for law pd or computed-torque or ic2"),
    ("control: {law: pd}", "control.natural-frequency", "law pd needs natural-frequency in rad/s"),
    ("control: {law: pd, kp: 1}", "control.kd", "kp and kd go together"),
    ("control: {law: pd, damping-ratio: 1}", "control.damping-ratio", "goes with natural-freq"),
    ("control: {law: pd, kp: 1 1/s^2, kd: 1}", "control.kp", "of law pd must be in N/m or N m"),
    ("control: {law: pd, kp: 1, kd: 1, natural-frequency: 1}", "control.kp", "does not go with"),
    (f"{CT}, damping_ratio: 1}}", "control.damping_ratio", "Did you mean 'damping-ratio'?"),
    ("control: {law: pd, natural-frequency: [1, 2]}", "control.natural-frequency", "5, one for"),
    ("control: {law: python}", "control.file", "needs the path of a Python file"),
    ("control: {law: python, file: no.py}", "control.file", "there is no file"),
    (f"{CT}, goal: final}}", "control.goal", "must be initial, or a mapping"),
    (f"{CT}, goal: {{joints: [1]}}}}", "control.goal.joints", "must have 2 entries"),
    (f"{CT}, goal: {{within: 1}}}}", "control.goal.within", "needs something to reach"),
    (f"{CT}, goal: {{joints: [[1, 2]]}}}}", "control.goal.joints", "needs times"),
    (
        f"{CT}, goal: {{joints: [[1, 2], [1, 2]], times: [2, 1]}}}}",
        "control.goal.times",
        "must increase",
    ),
    (
        f"{CT}, goal: {{joints: [[1, 2], [1]], times: [1, 2]}}}}",
        "control.goal.joints[2]",
        "must have 2 entries",
    ),
    (f"{CT}, goal: {{joints: [[1, 2]], times: [1, 2]}}}}", "control.goal.joints", "one set per"),
    (f"{CT}, believes: {{target.radius: 1}}}}", "control.believes.target.radius", "not the path"),
    (f"{CT}, believes: {{target.mass: -1}}}}", "control.believes", "kg > 0, got -1"),
    (f"{CT}, believes: {{'chaser.arm[3].mass': 1}}}}", "control.believes", "has 2 entries"),
    (f"{CT}, believes: 3}}", "control.believes", "a mapping from paths to values"),
    (f"{CT}, limits: {{joints: [1, 2, 3]}}}}", "control.limits.joints", "one number, or 2"),
    (f"{CT}, limits: {{base: [1, 2]}}}}", "control.limits.base", "one number, or 3"),
    (f"{CT}, limits: {{base: [1 N m, 2, 3]}}}}", "control.limits.base", "must be in N, got 1"),
    (f"{CT}, limits: {{joints: -1}}}}", "control.limits.joints", "≥ 0, got -1"),
    ("integration: {method: euler}", "integration.method", "one of auto, dop853"),
    ("integration: {method: rk4}", "integration.step", "rk4 needs a step in s"),
    ("integration: {step: 1 ms}", "integration.step", "is for method rk4, not for auto"),
    ("integration: {method: rk4, step: 1e-10}", "integration.step", "must be from 1e-07 s to"),
    (
        "integration: {method: rk4, step: 1 ms, relative-tolerance: 1e-9}",
        "integration.relative-tolerance",
        "not for rk4",
    ),
    ("integration: {relative-tolerance: 0}", "integration.relative-tolerance", "≥ 1e-14"),
    ("approach: {capture-radius: 0.1, timeout: 9 s}", "target.position", "approach needs"),
    ("approach: {capture-radius: 0.1}", "approach.timeout", "is missing"),
    ("approach: {capture-radius: 0.1, timeout: 9, control: {law: pd}}",
     "approach.control.natural-frequency", "is missing"),
]  # fmt: skip

SPATIAL_MISTAKES: list[tuple[str, str, int, str, str]] = [
    ("urdf: arm.urdf", "urdf: no.urdf", 2, "chaser.urdf", "there is no file"),
    ("urdf: arm.urdf", "urdf: .", 2, "chaser.urdf", "is a folder"),
    ("urdf: arm.urdf", "urdf: bad.urdf", 2, "chaser.urdf", "cannot be read"),
    ("urdf: arm.urdf", "robot: demo7", 2, "chaser.robot", "Did you mean 'demo-7'?"),
    ("urdf: arm.urdf", "robot: cube", 2, "chaser.robot", "'cube' is a target"),
    ("urdf: arm.urdf", "robot: thesis", 5, "chaser.position", "planar because of chaser.robot"),
    ("tool: tool_link", "tool: tool_lnk", 3, "chaser.tool", "Did you mean 'tool_link'?"),
    ("tool: tool_link", "tool: {link: 2}", 3, "chaser.tool.link", "must be the name of a link"),
    ("tool: tool_link", "tool: {link: lower, at: 2}", 3, "chaser.tool.at", "a point [x, y, z]"),
    ("joints: {shoulder: 0.3,", "joints: {sholder: 0.3,", 7, "chaser.joints.sholder", "'shoulder'"),
    ("[1, 0, 0, 0]          # q", "[0, 0, 0, 0] # q", 6, "chaser.orientation", "must not be zero"),
    ("[1, 0, 0, 0]          # q", "[1, 0, 0] # q", 6, "chaser.orientation", "a list of 4 numbers"),
    ("[1, 0, 0, 0]          # q", "{rpy: [1 m, 0, 0]} #", 6, "chaser.orientation.rpy", "entry 1"),
    ("[1, 0, 0, 0]          # q", "{} #", 6, "chaser.orientation", "got neither"),
    ("xx: 120", "xx: 1200", 11, "target.inertia", "triangle inequality"),
    ("xx: 120", "xx: -1", 11, "target.inertia.xx", "in kg m^2 > 0, got -1"),
    ("xx: 120, ", "", 11, "target.inertia", "xx missing"),
    ("inertia: {xx: 120, yy: 150, zz: 90, xy: 2, xz: 0, yz: -1}", "inertia: 3", 11,
     "target.inertia", "is planar (one moment)"),
    ("[0.02, 0, 0.05]", "0.05", 14, "target.velocity.angular", "is planar"),
    ("[0.02, 0, 0.05]", "[0.02, 0]", 14, "target.velocity.angular", "a list of 3 numbers in rad/s"),
    ("closure: pin", "closure: published", 15, "impact.closure", "exists in the plane only"),
    ("mass: 400", "shape: disk", 9, "target.mass", "is missing"),
    ("mass: 400", "object: envisatt", 10, "target.object", "Did you mean 'envisat'?"),
    ("mass: 400", "object: disk", 10, "target.object", "is planar (the object disk)"),
]  # fmt: skip


def check(text: str, file: str, line: int | None, field: str, words: str, **where: Any) -> None:
    with pytest.raises(ScenarioError) as caught:
        loads(text, file, **where)
    message = str(caught.value)
    place = rf"{re.escape(file)}, line {line if line else '[0-9]+'}: "
    wanted = [m for m in message.splitlines() if re.match(place + re.escape(field) + ": ", m)]
    assert wanted, message
    assert any(words in m for m in wanted), message
    for hidden in ("pydantic", "validation error", "Input should", "value_error", "Traceback"):
        assert hidden not in message


@pytest.mark.parametrize(("old", "new", "line", "field", "words"), PLANAR_MISTAKES)
def test_planar_mistakes(old: str, new: str, line: int, field: str, words: str) -> None:
    assert old in PLANAR
    check(PLANAR.replace(old, new, 1), "capture.yaml", line, field, words)


@pytest.mark.parametrize(("block", "field", "words"), BLOCK_MISTAKES)
def test_mistakes_in_other_blocks(block: str, field: str, words: str) -> None:
    check(with_block(PLANAR, block.partition(":")[0], block), "a b.yaml", None, field, words)


@pytest.mark.parametrize(("old", "new", "line", "field", "words"), SPATIAL_MISTAKES)
def test_spatial_mistakes(
    old: str, new: str, line: int, field: str, words: str, tmp_path: Path
) -> None:
    assert old in SPATIAL
    (tmp_path / "arm.urdf").write_text(URDF)
    (tmp_path / "bad.urdf").write_text("<robot")
    text = SPATIAL.replace(old, new, 1)
    check(text, "c.yaml", line, field, words, folder=tmp_path)


def test_there_are_many_mistakes() -> None:
    assert len(PLANAR_MISTAKES) + len(BLOCK_MISTAKES) + len(SPATIAL_MISTAKES) >= 60


def test_several_mistakes_at_once_unknown_keys_first() -> None:
    text = PLANAR.replace("duration: 10 s", "durations: 10 s").replace("mass: 15", "mass: -1")
    with pytest.raises(ScenarioError) as caught:
        loads(text)
    fields = [problem.path for problem in caught.value.problems]
    assert fields == [("durations",), ("target", "mass"), ("duration",)]
    assert len(str(caught.value).splitlines()) == 3


def test_duplicate_keys() -> None:
    with pytest.raises(ScenarioError, match="line 17: the key 'mass' is given twice"):
        loads(PLANAR.replace("  mass: 15\n", "  mass: 15\n  mass: 16\n"))


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"# nothing\n", "is empty"),
        (b"3", "must be a mapping with chaser"),
        (b"- 1", "must be a mapping with chaser"),
        (b"\xff\xfe\x00\x01", "not text in UTF-8: byte 0xff"),
        (b"name: \x00", "not valid YAML"),
        (b"chaser: {", "not valid YAML"),
        (b"a: " + b"[" * 3000, "nested too deeply"),
        (b"chaser: " + b"[" * 50 + b"]" * 50, "nested too deeply"),
        (b"chaser: &a [*a]", "a part of itself"),
        (b"x" * 1_100_000, "is larger than 1000 kB"),
        (b"name: !!python/object:os.system ls", "not valid YAML"),
        (b"? [1, 2]\n: 3", "a key must be text"),
        (PLANAR.encode()[:60], "not valid YAML"),
    ],
)
def test_hostile_files(data: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "scenario.yaml"
    path.write_bytes(data)
    with pytest.raises(ScenarioError, match=re.escape(words)):
        load(path)


def test_alias_bomb_is_refused_quickly() -> None:
    lines = ["a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8, 9]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 12)]
    start = time.perf_counter()
    with pytest.raises(ScenarioError, match="more than 100000 values"):
        loads("\n".join(lines))
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "text",
    [
        "[" + "1, " * 300_000 + "1]",
        "{" + ", ".join(f"a{k}: 1" for k in range(90_000)) + "}",
        "\n".join(f"a{k}: 1" for k in range(90_000)),
        "a: " + "x y " * 240_000,
    ],
    ids=["list", "flow mapping", "mapping", "words"],
)
def test_long_documents_are_refused_in_time(text: str) -> None:
    start = time.process_time()
    with pytest.raises(ScenarioError):
        loads(text)
    assert time.process_time() - start < 20  # a third of it on a quiet machine


def test_places_that_are_no_file(tmp_path: Path) -> None:
    with pytest.raises(ScenarioError, match="there is no such file"):
        load(tmp_path / "none.yaml")
    with pytest.raises(ScenarioError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(ScenarioError, match="cannot be read"):
        load("a\0b")
    assert issubclass(ScenarioError, ModelError)


def test_mistakes_in_python_have_field_value_and_what_is_allowed() -> None:
    with pytest.raises(ScenarioError) as caught:
        Scenario(chaser={"robot": "demo-7"}, target={"object": "cube"}, duration="1 kg", impact=3)
    assert str(caught.value).splitlines() == [
        "impact: must be a mapping with closure, restitution, friction, normal, law, slip-speed, "
        "stiffness, damping, force, frame, duration, repeat, got 3",
        "duration: must be a number in s > 0 and ≤ 1e+06, got '1 kg', which is a mass",
    ]
    with pytest.raises(ScenarioError, match="chaser: must have exactly one of arm, arms"):
        Scenario(chaser={}, target={"object": "cube"}, duration=1, impact={"closure": "pin"})
    with pytest.raises(ScenarioError, match=r"unknown key 'tagret'.*Did you mean 'target'"):
        Scenario(chaser={"robot": "demo-7"}, tagret={}, duration=1, impact={"closure": "pin"})
    with pytest.raises(ScenarioError, match=r"duration: .*got a complex"):
        Scenario(chaser={"robot": "demo-7"}, duration=1j, impact={"closure": "pin"})


def test_a_key_of_any_length_is_named_briefly() -> None:
    key = "noise" + 800 * "0"
    with pytest.raises(ScenarioError) as caught:
        loads(f"chaser: {{arm: [{{length: 1, mass: 1, {key}: 3}}]}}\nimpact: {{closure: pin}}\n")
    assert "noise000" in str(caught.value)
    assert max(map(len, str(caught.value).splitlines())) < 600
