"""The page is whole and asks for nothing."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import replace

import numpy as np

from percuss.report.page import page
from tests.report.captures import Capture
from tests.report.pages import outline, shown


def test_page_is_well_formed(case: Capture) -> None:
    parsed = outline(shown(case))
    identifiers = [attrs["id"] for _, attrs in parsed.elements if "id" in attrs]
    assert len(identifiers) == len(set(identifiers)), "an id is used twice"
    assert parsed.texts["h1"] == [case.encounter.name]
    assert parsed.texts["pre"] == ["name: a\n"]


def test_page_asks_for_nothing(case: Capture) -> None:
    text = shown(case)
    allowed = "http://www.w3.org/2000/svg"
    assert not re.findall(r"https?://", text.replace(allowed, "")), "an address from outside"
    assert not re.search(r"url\(|@import|fetch\(|XMLHttpRequest|importScripts|WebSocket", text)
    for tag, attrs in outline(text).elements:
        assert not {"src", "href", "data", "action"} & set(attrs), f"<{tag}> loads something"
    assert "default-src 'none'" in text, "the policy lets the browser ask for more"


def test_every_id_the_scripts_look_for_exists(planar: Capture) -> None:
    text = shown(planar)
    there = {attrs.get("id") for _, attrs in outline(text).elements}
    wanted = set(re.findall(r'(?:find|getElementById)\("([a-z-]+)"\)', text))
    assert wanted
    assert wanted <= there


def test_generation_needs_no_heavy_library() -> None:
    code = (
        "import sys; from percuss.report import page;"
        "print(*sorted({m.split('.')[0] for m in sys.modules}))"
    )
    command = [sys.executable, "-c", code]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert not {"matplotlib", "scipy", "jax", "xarray", "sympy"} & set(loaded)


def test_page_of_ten_bodies_stays_below_a_megabyte(spatial: Capture) -> None:
    """501 samples of 10 bodies, with every digit in use."""
    record, count = spatial.record, 501
    noise = np.random.default_rng(0)

    def longer(values: np.ndarray) -> np.ndarray:
        return noise.normal(size=(count, *values.shape[1:]))

    variables = {n: replace(v, values=longer(v.values)) for n, v in record.variables.items()}
    variables["time"] = replace(variables["time"], values=np.linspace(0.0, 40.0, count))
    tracks = [
        replace(t, positions=longer(t.positions), quaternions=longer(t.quaternions))
        for t in (*record.tracks, record.tracks[0])
    ]
    assert len(tracks) == 10
    long = replace(record, variables=variables, tracks=tuple(tracks))
    assert len(page(long, spatial.encounter, "").encode()) < 1_000_000
