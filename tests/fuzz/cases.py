"""Inputs by kind, seed and index: how they are made, and how many there are of each kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random

from tests.fuzz import corpus
from tests.fuzz.laws import odd_law
from tests.fuzz.markup import changed_markup
from tests.fuzz.tables import as_classic, as_csv, as_hdf5, as_netcdf, odd_table
from tests.fuzz.texts import damaged_bytes, damaged_text, encoded
from tests.fuzz.trees import RAW, changed_document, gently_changed, one_value, written
from tests.fuzz.words import command_line, setting

Made = tuple[tuple[str, ...], dict[str, bytes]]
"""Arguments of percuss, and files by their name in the folder in which it runs."""

READ = "(read)"
"""Stands for the command in kinds that read a measurement and stop there."""


@dataclass(frozen=True)
class Case:
    """One input.

    Attributes:
        arguments: of percuss; (`READ`, file, sensors) where only reading is tried.
        files: what is in the folder in which it runs, by relative path.
    """

    kind: str
    seed: int
    index: int
    arguments: tuple[str, ...]
    files: Mapping[str, bytes] = field(repr=False)

    @property
    def name(self) -> str:
        """Kind, seed and index: all that is needed to make it again."""
        return f"{self.kind} {self.seed} {self.index}"


def case(kind: str, seed: int, index: int) -> Case:
    """The input with this number; always the same one."""
    arguments, files = KINDS[kind].make(Random(f"{kind} {seed} {index}"))
    return Case(kind, seed, index, arguments, files)


def _scenario_bytes(rng: Random) -> bytes:
    """A scenario, most often changed as a document, else as text or bytes."""
    documents, texts = corpus.scenario_documents(), corpus.scenario_texts()
    name = rng.choice(sorted(documents))
    kind = rng.random()
    if kind < 0.78:
        return encoded(changed_document(documents[name], rng, list(documents.values())))
    if kind < 0.95:
        return encoded(damaged_text(texts[name], rng, list(texts.values())))
    return damaged_bytes(encoded(texts[name]), rng)


def _with_companions(data: bytes, files: dict[str, bytes]) -> dict[str, bytes]:
    named = {path: own for path, own in corpus.companions().items() if path.encode() in data}
    return {**named, **files}


def _scenario(rng: Random) -> Made:
    data = _scenario_bytes(rng)
    more = rng.choice(((), (), (), ("--json",), ("--strict",)))
    return ("check", "s.yaml", *more), _with_companions(data, {"s.yaml": data})


def _settings(rng: Random) -> Made:
    name = rng.choice(sorted(corpus.quick_documents()))
    document = corpus.quick_documents()[name]
    given: list[str] = []
    for _ in range(rng.choice((1, 1, 2))):
        own = one_value(document, rng) if rng.random() < 0.5 else setting(rng, RAW)
        given += ["--set", own]
    return ("check", "s.yaml", *given), {"s.yaml": encoded(corpus.scenario_texts()[name])}


_URDF_TAGS = tuple(
    "robot link joint inertial mass inertia origin axis limit mimic parent child visual geometry "
    "mesh box dynamics x".split()
)
_MJCF_TAGS = tuple(
    "mujoco body joint geom inertial site freejoint default include replicate composite tendon "
    "equality option asset mesh frame flexcomp size attach model x".split()
)


def _urdf(rng: Random) -> Made:
    texts = corpus.urdf_texts()
    text = texts[rng.choice(sorted(texts))]
    name = rng.choice(("r.urdf",) * 20 + ("r.xml", "r", "r.yaml"))
    return _robot(name, _marked_up(text, rng, _URDF_TAGS), rng)


def _mjcf(rng: Random) -> Made:
    return _robot("r.xml", _marked_up(corpus.MJCF, rng, _MJCF_TAGS), rng)


def _marked_up(text: str, rng: Random, tags: tuple[str, ...]) -> bytes:
    kind = rng.random()
    if kind < 0.8:
        return encoded(changed_markup(text, rng, tags))
    if kind < 0.95:
        return encoded(damaged_text(text, rng, list(corpus.urdf_texts().values())))
    return damaged_bytes(encoded(text), rng)


def _robot(name: str, data: bytes, rng: Random) -> Made:
    kind = rng.random()
    if kind < 0.75:
        more = rng.choice(((), (), ("--json",), ("--strict",)))
        return ("robots", name, *more), {name: data}
    if kind < 0.85 and name.endswith(".urdf"):
        return ("new", "--urdf", name), {name: data}
    key = {".xml": "mjcf", ".yaml": "system"}.get(name[name.find(".") :], "urdf")
    text = (
        f"chaser: {{{key}: {name}}}\n"
        "target: {object: cube, contact: [-0.5, 0, 0]}\n"
        "impact: {closure: pin}\nduration: 1 s\n"
    )
    return ("check", "s.yaml"), {name: data, "s.yaml": text.encode()}


def _system(rng: Random) -> Made:
    documents = corpus.system_documents()
    document = documents[rng.choice(sorted(documents))]
    if rng.random() < 0.85:
        data = encoded(changed_document(document, rng, list(documents.values())))
    else:
        data = encoded(damaged_text(written(document), rng, [written(document)]))
    return _robot("r.yaml", data, rng)


def _csv(rng: Random) -> Made:
    data = as_csv(odd_table(corpus.measured(12), rng), rng)
    return (READ, "m.csv", "sensors.yaml"), {"m.csv": data, "sensors.yaml": _sensors(rng)}


def _sensors(rng: Random) -> bytes:
    text = corpus.sensor_text()
    if rng.random() < 0.3:
        text = damaged_text(text, rng, [text, *corpus.scenario_texts().values()])
    return encoded(text)


def _netcdf(rng: Random) -> Made:
    make = rng.choice((as_netcdf, as_netcdf, as_hdf5, as_classic))
    data = make(odd_table(corpus.measured(12), rng), rng)
    return (READ, "m.nc", "sensors.yaml"), {
        "m.nc": data,
        "sensors.yaml": encoded(corpus.sensor_text()),
    }


def _command(rng: Random) -> Made:
    texts = corpus.scenario_texts()
    files = {f"scenarios/{name}.yaml": encoded(texts[name]) for name in ("thesis-1", "thesis-2")}
    files |= corpus.companions()
    return command_line(rng), {**files, "sensors.yaml": encoded(corpus.sensor_text())}


def _run(rng: Random) -> Made:
    documents = corpus.quick_documents() if rng.random() < 0.9 else corpus.scenario_documents()
    document = documents[rng.choice(sorted(documents))]
    data = encoded(written(gently_changed(document, rng)))
    given = ("--out", "out", "--set", f"duration={rng.choice((0.05, 0.3, 1.0))}")
    return ("run", "s.yaml", *given), _with_companions(data, {"s.yaml": data})


def _law(rng: Random) -> Made:
    text = corpus.scenario_texts()["thesis-1"].replace("law: none", "law: python, file: law.py")
    given = ("--allow-code", "--out", "out", "--set", "duration=0.05")
    return ("run", "s.yaml", *given), {"s.yaml": encoded(text), "law.py": odd_law(rng).encode()}


def _identify(rng: Random) -> Made:
    data = as_csv(odd_table(corpus.measured(rng.choice((5, 60, 250))), rng), rng)
    unknown = rng.choice(
        ("velocity", "velocity", "velocity,mass", "velocity,inertia", "velocity,time")
    )
    given = ("--scenario", "s.yaml", "--sensors", "sensors.yaml", "--unknown", unknown)
    files = {"m.csv": data, "sensors.yaml": encoded(corpus.sensor_text())}
    files["s.yaml"] = encoded(corpus.scenario_texts()["identify"])
    return ("identify", "m.csv", *given, "--starts", "2", "--out", "out"), files


def _approach(rng: Random) -> Made:
    documents = {k: v for k, v in corpus.scenario_documents().items() if "approach" in v}
    data = encoded(written(gently_changed(documents[rng.choice(sorted(documents))], rng)))
    return ("approach", "s.yaml", "--count", "3"), _with_companions(data, {"s.yaml": data})


def _plan(rng: Random) -> Made:
    documents = {k: v for k, v in corpus.quick_documents().items() if "approach" not in v}
    data = encoded(written(gently_changed(documents[rng.choice(sorted(documents))], rng)))
    weights = rng.choice(
        ("joints=1", "base=1", "joint1=1,base=2", "joint9=1", "joints=-1", "a", "")
    )
    given = ("--samples", "32", "--starts", "1", "--weights", weights, "--out", "out")
    return ("cop", "plan", "s.yaml", *given), {"s.yaml": data}


def _derive(rng: Random) -> Made:
    document = gently_changed(corpus.scenario_documents()["thesis-1"], rng)
    given = ("--as", rng.choice(("latex", "python", "c")))
    return ("derive", "s.yaml", *given), {"s.yaml": encoded(written(document))}


@dataclass(frozen=True)
class Kind:
    """A kind of input: how it is made, its share of the inputs, and what is expected of it."""

    make: Callable[[Random], Made]
    share: float
    about: str


KINDS: dict[str, Kind] = {
    "scenario": Kind(_scenario, 0.60, "check: scenarios changed as documents, texts and bytes"),
    "setting": Kind(_settings, 0.06, "check: --set with odd paths and values"),
    "urdf": Kind(_urdf, 0.08, "robots, new, check: URDF"),
    "mjcf": Kind(_mjcf, 0.04, "robots, check: MJCF"),
    "system": Kind(_system, 0.04, "robots, check: saved systems"),
    "csv": Kind(_csv, 0.05, "measurements (CSV) and sensors are read"),
    "netcdf": Kind(_netcdf, 0.04, "measurements (netCDF, HDF5) are read"),
    "command": Kind(_command, 0.06, "command lines of every command"),
    "approach": Kind(_approach, 0.002, "approach: times of meeting"),
    "plan": Kind(_plan, 0.001, "cop plan: configurations that feel least"),
    "derive": Kind(_derive, 0.001, "derive: closed forms"),
    "law": Kind(_law, 0.004, "run: control laws in Python that are wrong"),
    "run": Kind(_run, 0.02, "run: whole encounters of valid and nearly valid scenarios"),
    "identify": Kind(_identify, 0.003, "identify: odd records"),
}


def counts(total: int, kinds: tuple[str, ...]) -> dict[str, int]:
    """How many inputs of each kind come to a total; at least one of each."""
    whole = sum(KINDS[kind].share for kind in kinds)
    found = {kind: max(1, round(total * KINDS[kind].share / whole)) for kind in kinds}
    most = max(kinds, key=lambda kind: found[kind])
    found[most] = max(1, found[most] + total - sum(found.values()))
    return found
