"""Numbers of models are bounded as those of scenarios are: beyond, arithmetic loses its digits."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import percuss
from percuss.model.checks import LARGEST, LARGEST_LENGTH
from percuss.model.urdf.read import parse_urdf

URDF = """<robot name="r">
  <link name="a"><inertial>
    <origin xyz="{com} 0 0" rpy="0.3 0 0"/><mass value="{mass}"/>
    <inertia ixx="{inertia}" iyy="{inertia}" izz="{inertia}" ixy="{product}" ixz="0" iyz="0"/>
  </inertial></link>
  <link name="b"><inertial>
    <mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
  </inertial></link>
  <joint name="j" type="revolute"><parent link="a"/><child link="b"/>
    <origin xyz="0 {offset} 0"/><axis xyz="0 0 1"/>
    <limit lower="{lower}" upper="1" effort="1" velocity="1"/>
    <dynamics damping="{damping}"/></joint>
</robot>"""
PLAIN = {"com": 0, "mass": 2, "inertia": 1, "product": 0, "offset": 0.5, "lower": -1, "damping": 0}


@pytest.mark.parametrize(
    ("field", "said"),
    [
        ("com", "com x"),
        ("mass", "mass"),
        ("inertia", "ixx"),
        ("product", "ixy"),
        ("offset", "placement: position y"),
        ("damping", "viscous friction"),
    ],
)
@pytest.mark.parametrize("value", ["1e308", "1e150", "2e15"])
def test_numbers_of_a_urdf_are_bounded(field: str, said: str, value: str) -> None:
    text = URDF.format(**(PLAIN | {field: value}))
    with pytest.raises(percuss.ModelError, match=rf"{said}.*at most"):
        parse_urdf(text)


def test_a_massive_and_a_long_robot_are_read() -> None:
    system = parse_urdf(URDF.format(**(PLAIN | {"mass": LARGEST, "com": LARGEST_LENGTH})))
    assert system.bodies[0].mass == LARGEST


@given(st.floats(allow_nan=True, allow_infinity=True))
def test_a_body_is_finite_and_bounded_or_refused(value: float) -> None:
    if math.isfinite(value) and abs(value) <= LARGEST_LENGTH:
        assert percuss.Body("body", 1.0, (value, 0.0, 0.0), (1.0, 1.0, 1.0)).com.x == value
        return
    with pytest.raises(percuss.ModelError, match="com x"):
        percuss.Body("body", 1.0, (value, 0.0, 0.0), (1.0, 1.0, 1.0))
