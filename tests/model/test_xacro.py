"""xacro files become URDF, and may not do anything else."""

from __future__ import annotations

import importlib.util
import os
import time
from pathlib import Path

import pytest

from percuss.model import ModelError, ModelNotice, parse_urdf
from percuss.model.xacro.expand import expand

HEAD = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'

installed = pytest.mark.skipif(
    importlib.util.find_spec("xacro") is None, reason="the extra xacro is not installed"
)

ARM = f"""{HEAD}
<xacro:arg name="mass" default="2"/>
<xacro:property name="length" value="0.5"/>
<xacro:property name="yaml" value="${{xacro.load_yaml('sizes.yaml')}}"/>
<xacro:include filename="$(find robots)/macros.xacro"/>
<!-- Körper -->
<link name="base"><inertial><mass value="10"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<xacro:beam name="upper" parent="base" m="$(arg mass)"/>
<xacro:if value="${{yaml['arms'] > 1}}"><xacro:beam name="lower" parent="upper" m="1"/></xacro:if>
</robot>"""

MACROS = f"""{HEAD}<xacro:macro name="beam" params="name parent m">
<link name="${{name}}"><inertial><origin xyz="${{length/2}} 0 0"/><mass value="${{m}}"/>
  <xacro:property name="i" value="${{float(m)*length**2/12}}"/>
  <inertia ixx="0" iyy="${{i}}" izz="${{i}}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="${{name}}_joint" type="continuous"><parent link="${{parent}}"/>
  <child link="${{name}}"/><origin xyz="${{length}} 0 0" rpy="0 0 ${{radians(30)}}"/>
  <axis xyz="0 0 1"/></joint></xacro:macro></robot>"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package `robots` with a xacro robot in it, and a secret beside it."""
    (tmp_path / "secret.xml").write_text("<robot><link name='secret'/></robot>")
    inside = tmp_path / "robots"
    inside.mkdir()
    (inside / "macros.xacro").write_text(MACROS)
    (inside / "sizes.yaml").write_text("arms: 2\n")
    (inside / "arm.urdf.xacro").write_text(ARM, encoding="utf-8")
    return inside


def write(folder: Path, content: str) -> Path:
    """A xacro file of this content."""
    path = folder / "robot.xacro"
    path.write_text(f"{HEAD}{content}</robot>")
    return path


@installed
def test_macros_arguments_includes_and_yaml(folder: Path) -> None:
    system = parse_urdf(expand(folder / "arm.urdf.xacro", arguments={"mass": "3"}))
    assert [body.name for body in system.bodies] == ["base", "upper", "lower"]
    masses = {body.name: body.mass for body in system.bodies}
    assert masses == {"base": 10.0, "upper": 3.0, "lower": 1.0}
    assert system.node("upper").body.inertia.zz == pytest.approx(3 * 0.25 / 12)


@installed
@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('<a b="${().__class__}"/>', "the attribute '__class__' is not allowed"),
        ('<a b="${str.__subclasses__}"/>', "the attribute '__subclasses__' is not allowed"),
        ('<a b="${[x for x in __builtins__]}"/>', "the name '__builtins__' is not allowed"),
        ('<a b="${(lambda: 1)()}"/>', "Lambda is not allowed"),
        ("<a b=\"${'%s'.format(1)}\"/>", "the attribute 'format' is not allowed"),
        ('<a b="${open(1)}"/>', "name 'open' is not defined"),
        ('<a b="$(eval 1+1)"/>', r"\$\(eval …\).* is not read"),
        ('<a b="$(env HOME)"/>', "the environment variable HOME is not read"),
        ('<a b="$(find nowhere)"/>', r"\$\(find nowhere\): no folder 'nowhere' around"),
        ('<xacro:include filename="../secret.xml"/>', "may not open .*secret.xml"),
        ('<xacro:include filename="/etc/passwd"/>', "may not open '/etc/passwd'"),
        ('<xacro:include filename="/etc/*"/>', "may not list '/etc'"),
        ('<xacro:include filename="link.xml"/>', "may not open .*link.xml"),
        ("<a b=\"${xacro.load_yaml('../secret.xml')}\"/>", "may not open .*secret.xml"),
        ('<a b="${undefined}"/>', "name 'undefined' is not defined"),
        ("<xacro:nothing/>", "unknown macro name: xacro:nothing"),
        ("<a>", "mismatched tag: line 1"),
        (
            '<xacro:macro name="m" params="x"><xacro:m x="1"/></xacro:macro><xacro:m x="1"/>',
            "without end|recursion|2 GiB",
        ),
    ],
)
def test_what_a_file_may_not_do(folder: Path, content: str, message: str) -> None:
    os.symlink(folder.parent / "secret.xml", folder / "link.xml")
    with pytest.raises(ModelError, match=rf"(?s)^robot.xacro: xacro cannot expand it: .*{message}"):
        expand(write(folder, content))


@installed
def test_code_hidden_in_eval_does_not_run(folder: Path) -> None:
    """`$(eval …)` of xacro evaluates with all of Python when brackets come from an expression."""
    touched = folder / "touched"
    hidden = f"open\\x28'{touched}', 'w'\\x29"
    with pytest.raises(ModelError, match="is not read"):
        expand(write(folder, f'<a b="$(eval ${{&quot;{hidden}&quot;}})"/>'))
    assert not touched.exists()


@installed
@pytest.mark.parametrize("expression", ["9**9**9", "'a' * 10**12"])
def test_time_and_memory_are_bounded(folder: Path, expression: str) -> None:
    start = time.perf_counter()
    with pytest.raises(ModelError, match=r"was stopped|more than 2 GiB"):
        expand(write(folder, f'<a b="${{{expression}}}"/>'))
    assert time.perf_counter() - start < 60.0


@installed
def test_a_wider_folder_can_be_given(folder: Path) -> None:
    below = folder / "urdf"
    below.mkdir()
    path = write(below, '<xacro:include filename="$(find robots)/macros.xacro"/><link name="a"/>')
    with pytest.raises(ModelError, match=r"may not open .*macros.xacro"):
        expand(path)
    assert "<link" in expand(path, folder=folder)


@installed
def test_the_environment_is_empty_for_optional_variables(folder: Path) -> None:
    os.environ["PERCUSS_TEST"] = "seen"
    text = expand(write(folder, '<a b="$(optenv PERCUSS_TEST unseen)"/>'))
    del os.environ["PERCUSS_TEST"]
    assert 'b="unseen"' in text


@installed
def test_what_xacro_warns_of_is_a_notice(folder: Path) -> None:
    path = write(folder, '<xacro:property name="pi" value="3"/><link name="a"/>')
    with pytest.warns(ModelNotice, match="robot.xacro: xacro: .*redefining global symbol: pi"):
        expand(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"none.xacro: is no file; expected a xacro file"):
        expand(tmp_path / "none.xacro")


def test_without_xacro_the_error_says_what_to_do(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ImportError, match=r"this file is xacro: pip install 'percuss\[xacro\]' or"):
        expand(folder / "arm.urdf.xacro")
