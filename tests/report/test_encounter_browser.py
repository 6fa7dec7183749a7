"""A real browser shows encounters: phases, closer looks, jumps to impacts."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
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


LEGEND = """
percuss.play(false);
percuss.look();
document.body.dataset.phase = document.getElementById("when-phase").textContent;
document.body.dataset.segments = document.querySelectorAll("#strip .segment").length;
document.body.dataset.clock = percuss.clock(0.005);
// A word that is broken stands on more than one line.
const broken = [];
for (const label of document.querySelectorAll(".keys.wide span")) {
  for (const node of label.childNodes) {
    for (const word of (node.textContent || "").matchAll(/\\S+/g)) {
      const range = document.createRange();
      range.setStart(node, word.index);
      range.setEnd(node, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
      if (lines.size > 1) broken.push(word[0]);
    }
  }
}
document.body.dataset.broken = broken.join(" ");
const wide = [...document.querySelectorAll(".keys.wide")];
const edges = wide.map((keys) => keys.scrollWidth - keys.clientWidth);
document.body.dataset.beyond = Math.max(...edges);
document.body.dataset.legends = edges.length;
"""


def read(case: Capture, folder: Path, width: int) -> dict[str, str]:
    size = f"--window-size={width},900"
    document = check(case, folder, "webgl", *WEBGL, size, hands=LEGEND)
    found = re.search(r"<body([^>]*)>", document)
    assert found
    return dict(re.findall(r'data-([\w-]+)="([^"]*)"', found[1]))


@pytest.mark.parametrize("width", [500, 1300])
def test_single_phase_short_times_and_whole_words(width: int, tmp_path: Path) -> None:
    """The phase of a miss has its band; 0.005 s reads so in a run of seconds; words stay whole."""
    case = scripts.passed()
    residual = case.record.variables["energy_residual"]
    residual = replace(residual, values=np.full_like(residual.values, 5.33e-14))
    more = {
        "energy_residual": residual,
        "linear_momentum_residual": replace(residual, units="N s"),
        "angular_momentum_residual": replace(residual, units="N m s"),
    }
    record = replace(case.record, variables={**case.record.variables, **more})
    found = read(Capture(record, case.encounter), tmp_path, width)
    assert (found["phase"], found["segments"]) == ("approach", "1")
    assert found["clock"] == "0.005 s"
    assert found["legends"] == "1"
    assert found["broken"] == ""
    assert int(found["beyond"]) <= 0


def test_contact_of_milliseconds_is_read_in_a_long_run(tmp_path: Path) -> None:
    assert read(scripts.hit(), tmp_path, 1200)["clock"] == "0.005 s"
