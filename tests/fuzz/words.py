"""Command lines: every command, with options that are missing, doubled, foreign or absurd."""

from __future__ import annotations

from random import Random

from tests.fuzz.values import hostile_number, hostile_text

COMMANDS: tuple[str, ...] = (
    "check scenarios/thesis-1.yaml",
    "check scenarios/thesis-1.yaml --json --set target.mass=20",
    "check scenarios/thesis-2.yaml --strict --max-time 20",
    "check scenarios/thesis-1.yaml --set chaser.arm[2].mass=3 --set impact.closure=weld",
    "robots",
    "robots thesis",
    "robots robots/bench-6.urdf --strict",
    "robots robots/bench-6.urdf --json",
    "robots cube --json --max-time 5",
    "schema",
    "new",
    "new --space --out new.yaml",
    "new --urdf robots/bench-6.urdf --json",
    "cop --mass 2 --com 0.3 --inertia 0.1 --at 0.7 --angle 90deg",
    "cop --mass 2 --com 0.3 --inertia 0.1 --at 0.7 --angle 1.2 --json",
    "cop --mass 2 --com 0.3 --inertia 0.1 --at 0.7 --tolerance at=0.01 --limit 0.1",
    "cop of thesis --json",
    "cop of robots/bench-6.urdf",
    "cop plan --help",
    "run --help",
    "run scenarios/thesis-1.yaml --set duration=abc --out out",
    "run scenarios/thesis-1.yaml --measure sensors.yaml --seed -3",
    "identify measured.csv --scenario scenarios/thesis-1.yaml --sensors nothing.yaml",
    "identify measured.csv --scenario nothing.yaml --sensors sensors.yaml --unknown mass",
    "approach scenarios/thesis-1.yaml --from 1 --to 5 --count 3",
    "source nobody --out out",
    "derive thesis --as python --max-time 1e-3",
    "derive scenarios/nothing.yaml --as c --mode fixed --out forms.c",
    "--version",
    "--help",
)
"""Each is quick; what takes longer has kinds of its own."""

OPTIONS: tuple[str, ...] = (
    "--json", "--help", "--set", "--out", "--max-time", "--strict", "--seed", "--allow-code",
    "--version", "--mass", "--angle", "--as", "--from", "--count", "--unknown", "--sensors", "--x",
    "-h", "-", "--", "--set=", "--out=", "--max-time=1", "--seed=1e3", "--angle=1.7e308",
)  # fmt: skip

SETTINGS: tuple[str, ...] = (
    "target.mass", "target", "chaser.arm[1].mass", "chaser.arm[0]", "chaser.arm[99].mass", "name",
    "control.believes", "control", "impact.closure", "duration", "chaser.joints", "a.b.c.d", "[1]",
    "chaser..x", "", "target.velocity.linear[1]", "integration", "chaser.arm", "control.period",
)  # fmt: skip

ABSOLUTE = ("/dev/null", "/dev/zero", "/proc/out", "/proc/self/mem", "/", "/nowhere/x")
"""The only paths outside the case's own folder that are ever named."""


def command_line(rng: Random) -> tuple[str, ...]:
    """A command line, most often changed in one to three places."""
    words = rng.choice(COMMANDS).split()
    for _ in range(rng.choice((0, 1, 1, 2, 3))):
        _change(words, rng)
    return tuple(harmless(word) for word in words)


def setting(rng: Random, raw: tuple[str, ...]) -> str:
    """`path=value` for `--set`, with a value that is YAML or nearly so."""
    value = rng.choice((hostile_text(rng), str(hostile_number(rng)), rng.choice(raw)))
    return harmless(f"{rng.choice(SETTINGS)}={value}")


def harmless(word: str) -> str:
    """The word as the system can pass it on, without paths that could hurt this machine."""
    word = (
        word.replace("\0", "")[:100_000]
        .encode("utf-8", "surrogatepass")
        .decode("utf-8", "surrogateescape")
    )
    option, equals, value = word.partition("=")
    value = value if equals else option
    if (value.startswith("/") and value not in ABSOLUTE) or "/.." in value or "../.." in value:
        return "."
    return word


def _change(words: list[str], rng: Random) -> None:
    if not words:
        words.append(rng.choice(OPTIONS))
        return
    k = rng.randrange(len(words))
    match rng.randrange(9):
        case 0:
            del words[k]
        case 1:
            words.insert(k, words[k])
        case 2:
            words[k] = hostile_text(rng)
        case 3:
            words[k] = str(hostile_number(rng))
        case 4:
            words.insert(k, rng.choice(OPTIONS))
        case 5:
            words += [rng.choice(OPTIONS), hostile_text(rng)]
        case 6:
            other = rng.randrange(len(words))
            words[k], words[other] = words[other], words[k]
        case 7:
            words[k] = words[k][: rng.randrange(len(words[k]) + 1)] + rng.choice("é=-\x1b[]\\ '\"%")
        case _:
            words += ["--set", setting(rng, ("1", "[1, 2]", "{a: 1}"))]
