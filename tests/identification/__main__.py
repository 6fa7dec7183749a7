"""`python -m tests.identification`: the honesty campaign; goes on where it stopped.

Every case is written to a file as soon as it is judged, so that Ctrl-C loses none.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from tests.identification.campaign import Counted, as_row, judged, kind_of, table

SEED = 11
"""Where no other is asked for, so that everyone tries the same."""
EVERY = 50
"""Cases after which the table is printed."""


def main() -> int:
    """Judge what has not been judged yet, print the table and write it."""
    options = _options()
    kept = Path(options.kept) / f"seed-{options.seed}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    done = _read(kept)
    known = {one.index for one in done}
    try:
        with kept.open("a", encoding="utf-8") as file:
            left = [index for index in range(options.count) if index not in known]
            for one in _judged(left, options.seed, options.workers):
                file.write(json.dumps(as_row(one)) + "\n")
                file.flush()
                done.append(one)
                _tell(one)
                if len(done) % EVERY == 0:
                    print(table(done), flush=True)
    except KeyboardInterrupt:
        print(f"\nstopped; {kept} has what was judged, the same command goes on from there")
    done.sort(key=lambda one: one.index)
    print(table(done))
    if options.out:
        Path(options.out).write_text(_page(done, options.seed, options.count), encoding="utf-8")
    return int(any(one.beyond > 5.0 or one.outcome == "error" for one in done))


def _judged(left: list[int], seed: int, workers: int) -> Iterator[Counted]:
    """Every case, as soon as it is judged."""
    case = partial(judged, seed)
    if workers == 1:
        yield from map(case, left)
        return
    # Processes that begin afresh: threads of kernels do not survive a fork.
    with get_context("spawn").Pool(workers, maxtasksperchild=500) as pool:
        yield from pool.imap_unordered(case, left)


def _tell(one: Counted) -> None:
    if one.beyond > 4.0:
        print(f"{one.index} {one.kind}: {one.beyond:.3g} σ off without a warning", flush=True)
    if one.outcome == "error":
        print(f"{one.index} {one.kind}: {one.words}", flush=True)


def _read(kept: Path) -> list[Counted]:
    """What has been judged before; a line that was cut off is judged again, and so is what was
    another kind of case then."""
    if not kept.exists():
        return []
    text = kept.read_text(encoding="utf-8")
    whole = text[: text.rfind("\n") + 1]
    if whole != text:
        kept.write_text(whole, encoding="utf-8")
    found = [Counted(**json.loads(line)) for line in whole.splitlines()]
    return [one for one in found if one.kind == kind_of(one.index)]


def _page(done: list[Counted], seed: int, count: int) -> str:
    wrong = sum(one.beyond > 5.0 for one in done)
    far = sum(one.beyond > 4.0 for one in done)
    errors = sum(one.outcome == "error" for one in done)
    sure, withheld = sum(one.sure for one in done), sum(one.withheld for one in done)
    bars = [
        ("no estimate beyond 5 σ without a warning", wrong == 0),
        ("at most one case in 1,000 beyond 4 σ without a warning", far <= len(done) / 1000),
        ("at most 3 % of what could be known withheld", withheld <= 0.03 * sure),
        ("no error", errors == 0),
    ]
    said = "\n".join(f"- {what}: {'met' if met else '**not met**'}" for what, met in bars)
    return f"""# How honest identification is

`make honesty COUNT={count} SEED={seed}` makes hostile records of a known truth and counts what is
said of them; {len(done)} cases have been judged. In the plane the truth comes from equations of
motion that the tests have of their own: any robot of one to three links, any target, any unknowns.
In space it comes from MuJoCo, whose model is written from the scenario's plain numbers: a robot of
seven joints in any pose, targets that are turned and touched anywhere, velocity or velocity and
mass asked for. [Identify](identify.md) says what is computed.

{table(done)}

{said}

What is counted:

- **Beyond 5 σ** (4 σ) **unwarned**: cases in which some estimate is farther than that from the
  truth, by the standard deviation that is stated with it, and nothing is said against the fit.
- **Warned**: cases in which something is said against the fit: the tests of the residuals, or of
  what is held, have failed, and the command prints it as a warning. What is said of quantities
  that get no number does not count: it warns of no other. In records of which all is as stated,
  a warning is a false alarm.
- **Said to hang on what is wrong**: cases of a wrong closure, shape or mass or of a bias that leave
  no residual, so that no test of the record can see them. An estimate is beyond 5 σ, but it is said
  that its standard deviation is for just this property known exactly, for just this closure, or for
  sensors without biases, what it would be otherwise (or that there would be no number), and by that
  it is not. Such cases are not among the unwarned.
- **Record refused**: cases in which the whole record is refused, with the reason. All that could be
  known is withheld then.
- **Withheld of what could be known**: quantities without a number although independent derivatives
  at the truth say that they are known to a tenth of their plausible range, beside all others that
  are asked for. In space these derivatives are differences of MuJoCo's own records. Counted are
  records of which all is as stated. A quantity is not withheld where a second answer, with another
  value of it, fits as well, and is reported.
- **Errors**: anything else than an answer or a refusal.
"""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.identification", description=__doc__)
    parser.add_argument("--count", type=int, default=5000, help="cases, of all kinds in turn")
    parser.add_argument("--seed", type=int, default=SEED)
    cores = os.cpu_count() or 1
    parser.add_argument("--workers", type=int, default=cores, help="processes; default: cores")
    parser.add_argument("--kept", default=".honesty", help="folder of what has been judged")
    parser.add_argument("--out", help="Markdown file that the table is written to")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
