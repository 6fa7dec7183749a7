"""A real browser shows encounters: phases, closer looks, jumps to impacts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.report import scripts
from tests.report.captures import Capture
from tests.report.test_browser import CHROMIUM, NO_WEBGL, WEBGL, check

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH")

HANDS = """
const told = document.body.dataset;
const text = (id) => document.getElementById(id).textContent;
const look = () => `${percuss.state.from.toFixed(3)} ${percuss.state.to.toFixed(3)}`;
// What stands beside the marks now, where it is seen at all.
const words = () => percuss.marks.words(percuss.locate(percuss.state.time));
const word = (id) => words().find((w) => w[0] === id && w[2] > 0)?.[1] ?? "";
percuss.play(false);
percuss.jump(BEFORE);
told.phase = text("when-phase");
told.segments = document.querySelectorAll("#strip .segment").length;
told.ticks = document.querySelectorAll("#strip .tick").length;
told.bands = document.querySelector(".chart").querySelectorAll(".band").length;
told.aim = word("aim");
document.querySelector("#strip .tick").click();
told.jumped = percuss.state.time.toFixed(3);
told.impulse = word("impulse");
const [whole, contact] = document.querySelectorAll("#jumps button");
contact.click();
told.closer = look();
told.pressed = contact.getAttribute("aria-pressed");
told.speed = percuss.state.speed;
percuss.seek(DURING);
told.during = text("when-phase");
told.force = word("force");
told.curve = document.querySelector(".curve").getAttribute("d").split("L").length;
document.dispatchEvent(new KeyboardEvent("keydown", { key: "c" }));
told.again = look();
const rows = document.querySelectorAll("[data-seek]");
rows[rows.length - 1].click();
told.row = percuss.state.time.toFixed(3);
whole.click();
told.whole = look();
told.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
"""


def told(case: Capture, folder: Path, before: float, during: float, *flags: str) -> dict[str, str]:
    hands = HANDS.replace("BEFORE", str(before)).replace("DURING", str(during))
    document = check(case, folder, "webgl", *WEBGL, *flags, hands=hands)
    found = re.search(r"<body([^>]*)>", document)
    assert found
    return dict(re.findall(r'data-([\w-]+)="([^"]*)"', found[1]))


def test_short_contact_can_be_reached(tmp_path: Path) -> None:
    """20 ms in 30 s: seen in the strip, jumped to, looked at closely, and left again."""
    found = told(scripts.hit(), tmp_path, 14.0, 15.01, "--window-size=420,900")
    assert (found["phase"], found["during"]) == ("approach", "contact")
    assert (found["segments"], found["ticks"], found["bands"]) == ("3", "1", "3")
    assert found["aim"] == "0.2 m"
    assert found["jumped"] == "15.000"
    assert found["closer"] == "14.994 15.026"
    assert found["pressed"] == "true"
    assert float(found["speed"]) < 0.01, "20 ms last about ten seconds"
    assert found["force"] == "force 322 N"
    assert int(found["curve"]) > 400, "the curve has the samples of the contact"
    assert found["again"] == found["whole"] == "0.000 30.000"
    assert found["row"] == "15.020", "the last phase of the list"
    assert int(found["overflow"]) <= 0, "the page is wider than the screen"


def test_bounces_are_jumped_to(tmp_path: Path) -> None:
    found = told(scripts.bounces(), tmp_path, 5.0, 7.0)
    assert found["phase"] == "flight"
    assert (found["segments"], found["ticks"]) == ("5", "4")
    assert found["jumped"] == "4.000"
    assert found["impulse"] == "impulse 9.01 N s"
    assert found["force"] == ""
    assert found["whole"] == "0.000 14.000"


@pytest.mark.parametrize("make", [scripts.mission, scripts.pulse])
def test_encounters_are_drawn(make, tmp_path: Path) -> None:
    check(make(), tmp_path, "webgl", *WEBGL)


def test_encounter_without_webgl(tmp_path: Path) -> None:
    check(scripts.miss(), tmp_path, "canvas", *NO_WEBGL)
