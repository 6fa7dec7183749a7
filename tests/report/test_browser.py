"""A real browser shows the page: no complaint in its console, and something was drawn."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from percuss.report.page import page
from tests.report import captures
from tests.report.captures import Capture
from tests.report.pages import HOSTILE

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "chrome"))), None)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no chromium on PATH")

WEBGL = ("--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
NO_WEBGL = ("--disable-3d-apis",)


def visit(text: str, folder: Path, *flags: str) -> tuple[str, list[str]]:
    """The document after its scripts have run, and what the console said."""
    path = folder / "report.html"
    path.write_text(text, encoding="utf-8")
    command = [str(CHROMIUM), "--headless", "--no-sandbox", "--hide-scrollbars"]
    command += ["--enable-logging=stderr", "--v=0", f"--user-data-dir={folder / 'profile'}"]
    command += ["--window-size=1200,900", "--virtual-time-budget=1500", "--dump-dom", *flags]
    result = subprocess.run([*command, path.as_uri()], capture_output=True, timeout=120)
    said = [
        line for line in result.stderr.decode(errors="replace").splitlines() if "CONSOLE" in line
    ]
    # A browser that reads back what it drew is slow, which it tells; that is no fault.
    complaints = [line for line in said if "GPU stall due to ReadPixels" not in line]
    return result.stdout.decode(errors="replace"), complaints


def with_script(text: str, script: str) -> str:
    """The page with a reader's hands: a script that runs after its own."""
    return text.replace("</body>", f"<script>{script}</script></body>")


def attributes_of(document: str, identifier: str) -> dict[str, str]:
    found = re.search(rf'<\w+ [^>]*id="{identifier}"[^>]*>', document)
    assert found, f"no element {identifier}"
    return dict(re.findall(r'([\w-]+)="([^"]*)"', found[0]))


def check(case: Capture, folder: Path, renderer: str, *flags: str, hands: str = "") -> str:
    """The document, which must be without complaint and with a picture in it."""
    text = with_script(page(case.record, case.encounter, "x" * 300), hands)
    document, complaints = visit(text, folder, *flags)
    assert not complaints
    screen = attributes_of(document, "screen")
    assert screen["data-drawn"] == renderer
    assert int(screen["data-parts"]) >= len(case.record.tracks)
    assert int(screen["data-lit"]) > 500, "the picture is black"
    assert int(attributes_of(document, "charts")["data-drawn"]) >= 5
    assert document.count('class="curve"') + document.count("<circle") >= 5
    return document


def test_spatial_capture_is_drawn(tmp_path: Path) -> None:
    case = captures.spatial("pin", samples=5, duration=1.0, controlled=False)
    check(case, tmp_path, "webgl", *WEBGL)


def test_without_webgl_there_are_lines_and_a_message(tmp_path: Path) -> None:
    document = check(captures.thesis("weld", samples=11), tmp_path, "canvas", *NO_WEBGL)
    assert "no WebGL 2: the bodies are drawn as lines" in document
    assert "hidden" not in attributes_of(document, "message")


def test_odd_records_raise_no_error(tmp_path: Path) -> None:
    """One sample, bodies without shapes, hostile names: nothing runs, nothing fails."""
    case = captures.thesis("pin", samples=1)
    labels = {n: tuple(HOSTILE + x for x in xs) for n, xs in case.record.labels.items()}
    tracks = tuple(replace(track, visuals=(), name=HOSTILE) for track in case.record.tracks)
    odd = replace(case.record, labels=labels, tracks=tracks)
    document = check(Capture(odd, replace(case.encounter, name=HOSTILE)), tmp_path, "webgl", *WEBGL)
    assert not re.search(r"<img", document)


HANDS = """
const told = document.body.dataset;
const time = () => percuss.state.time.toFixed(4);
const press = (key, on = document.body) =>
  on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
setTimeout(() => {
  told.playing = percuss.state.playing;
  press(" ");
  told.paused = percuss.state.playing;
  percuss.seek(0);
  press("ArrowRight");
  told.stepped = time();
  press("ArrowLeft");
  told.back = time();

  const scrub = document.getElementById("scrub");
  scrub.value = 250;
  scrub.dispatchEvent(new Event("input"));
  told.scrubbed = time();
  const cursors = [...document.querySelectorAll(".cursor")].map((c) => c.getAttribute("transform"));
  told.cursors = new Set(cursors.map((c) => c.split("(")[1].split(" ")[0])).size;

  const svg = document.querySelector(".chart svg");
  svg.scrollIntoView();
  const box = svg.getBoundingClientRect();
  const at = { clientX: box.right - 10, clientY: box.top + 50, button: 0, pointerId: 1 };
  svg.setPointerCapture = () => {};
  svg.dispatchEvent(new PointerEvent("pointerdown", at));
  svg.dispatchEvent(new PointerEvent("pointerup", at));
  told.sought = time();
  told.slider = Math.round(scrub.value);

  const curves = () => svg.querySelectorAll(".curve").length;
  const key = document.querySelector(".keys button");
  told.curves = curves();
  key.click();
  told.fewer = curves();
  told.overflow = document.documentElement.scrollWidth - document.documentElement.clientWidth;
}, 300);
"""


@pytest.mark.parametrize("width", [1400, 420])
def test_animation_and_charts_share_one_time(tmp_path: Path, width: int) -> None:
    """Space, arrows, the play bar, a click in a chart and the keys do what they should."""
    case = captures.thesis("pin", samples=11)
    document = check(case, tmp_path, "webgl", *WEBGL, f"--window-size={width},900", hands=HANDS)
    told = re.search(r"<body([^>]*)>", document)
    assert told
    found = dict(re.findall(r'data-([\w-]+)="([^"]*)"', told[1]))
    assert found["playing"] == "true"
    assert found["paused"] == "false"
    assert (found["stepped"], found["back"]) == ("1.0000", "0.0000")
    assert found["scrubbed"] == "2.5000"
    assert found["cursors"] == "1", "every chart has its cursor at the same place"
    assert (found["sought"], found["slider"]) == ("10.0000", "1000")
    assert int(found["curves"]) - int(found["fewer"]) == 1
    assert int(found["overflow"]) <= 0, "the page is wider than the screen"


def test_broken_graphics_fall_back_with_the_reason(tmp_path: Path) -> None:
    case = captures.thesis("pin", samples=3, duration=0.1)
    text = page(case.record, case.encounter, "").replace(
        "vec3 N = normalize(n);", "vec3 N = wrong;"
    )
    document, complaints = visit(text, tmp_path, *WEBGL)
    assert not complaints
    screen = attributes_of(document, "screen")
    assert screen["data-drawn"] == "canvas"
    assert int(screen["data-lit"]) > 500
    assert "WebGL failed here" in document


def test_console_is_listened_to(tmp_path: Path) -> None:
    case = captures.thesis("pin", samples=1)
    wrong = "new Image().src = 'picture.png'; nothing.there();"
    said = visit(with_script(page(case.record, case.encounter, ""), wrong), tmp_path, *WEBGL)[1]
    assert any("Content Security Policy" in line for line in said), "a request was let out"
    assert any("nothing is not defined" in line for line in said)
