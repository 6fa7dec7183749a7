"""Derivations as LaTeX: text between display formulas that MathJax understands as well."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from percuss.dynamics.formulations.quantities import SymbolQuantity
from percuss.symbolic.derivation import BASE_RATES, Definition, Derivation
from percuss.symbolic.writing import Latex, Writer

LINE = 220
"""Characters of LaTeX that make a line of print; a wider matrix is written entry by entry."""


def to_latex(derivations: Sequence[Derivation], title: str) -> str:
    """A fragment for `\\input`: one subsection for each system."""
    head = f"% {' '.join(title.split())}: closed forms derived by percuss."
    return "\n".join([head, *map(_section, derivations)]) + "\n"


def formulas(derivation: Derivation) -> dict[str, str]:
    """The display formulas of a derivation by what they are, without delimiters.

    Keys: definitions, M, C, G (where there is gravity) and "J FRAME" for each frame. Capital
    letters keep the entries of C apart from cosines and those of G from the acceleration g.
    """
    writer = Writer.of(derivation, Latex())
    found = {"definitions": _definitions(writer, derivation.definitions)}
    found["M"] = _matrix(writer, "M", derivation.mass_matrix, symmetric=True)
    found["C"] = _column(writer, "C", "q, v", derivation.coriolis_forces)
    if derivation.has_gravity:
        found["G"] = _column(writer, "G", "q", derivation.gravity_forces)
    for frame, J in derivation.jacobians.items():
        name = f"J_{{\\mathrm{{{_text(frame)}}}}}"
        found[f"J {frame}"] = _matrix(writer, name, J)
    return found


def _section(derivation: Derivation) -> str:
    made = formulas(derivation)
    q = ", ".join(quantity.latex for quantity in derivation.coordinates)
    gravity = " + G(q)" if derivation.has_gravity else ""
    v = ", ".join(quantity.latex for quantity in derivation.rates)
    named = ", ".join(quantity.meaning for quantity in derivation.coordinates)
    lines = [
        "",
        f"\\subsection*{{{_text(derivation.title)}}}",
        f"Coordinates $q = ({q})$, which are {_text(named)}; rates $v = ({v})$. {BASE_RATES}",
        "Equations of motion",
        f"\\[ M(q)\\, \\dot{{v}} + C(q, v){gravity} = \\tau \\]",
        "with the parameters",
        _display(_parameters(derivation.parameters)),
        "and the abbreviations",
        _display(made["definitions"]),
        "Mass matrix, Coriolis and centrifugal forces"
        + (", gravity forces:" if derivation.has_gravity else ":"),
        *(_display(made[key]) for key in ("M", "C", "G") if key in made),
    ]
    rows = ", ".join(derivation.jacobian_rows)
    for frame in derivation.jacobians:
        lines += [
            f"Velocity ({_text(rows)}) of the frame {_text(frame)} $= J\\, v$:",
            _display(made[f"J {frame}"]),
        ]
    return "\n".join(lines)


def _display(formula: str) -> str:
    return f"\\[\n{formula}\n\\]"


def _parameters(quantities: Sequence[SymbolQuantity]) -> str:
    entries = [f"{q.latex} &= {_number(q.value)}\\,{_unit(q.unit)}" for q in quantities]
    return _aligned(entries, columns=4)


def _definitions(writer: Writer, definitions: Sequence[Definition]) -> str:
    short = [d for d in definitions if d.quantity.unit]
    long = [d for d in definitions if not d.quantity.unit]
    entries = [_equation(writer, d) for d in short]
    parts = [_aligned(entries, columns=3)] if entries else []
    if long:
        equations = [_equation(writer, d) for d in long]
        is_wide = max(map(len, equations)) > LINE // 2
        parts.append(_aligned(equations, columns=1 if is_wide else 2))
    if len(parts) == 1:
        return parts[0]
    return "\\begin{gathered}\n" + "\n\\\\[1ex]\n".join(parts) + "\n\\end{gathered}"


def _equation(writer: Writer, definition: Definition) -> str:
    return f"{definition.quantity.latex} &= {writer.write(definition.expression)}"


def _aligned(entries: Sequence[str], columns: int) -> str:
    rows = [entries[k : k + columns] for k in range(0, len(entries), columns)]
    body = " \\\\\n".join(" & ".join(row) for row in rows)
    return f"\\begin{{aligned}}\n{body}\n\\end{{aligned}}"


def _matrix(writer: Writer, name: str, matrix: Any, symmetric: bool = False) -> str:
    """A matrix in LaTeX; where its entries are long they are listed below each other."""
    texts = [[writer.write(x) for x in matrix.row(i)] for i in range(matrix.rows)]
    if sum(max(map(len, column)) for column in zip(*texts, strict=True)) <= LINE:
        body = " \\\\\n".join(" & ".join(row) for row in texts)
        return f"{name}(q) = \\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}"
    entries = {
        f"{name[0]}_{{{i + 1}{j + 1}}}": text
        for i, row in enumerate(texts)
        for j, text in enumerate(row)
        if not (symmetric and j < i) and text != "0"
    }
    notes = [f"{name[0]} = {name[0]}^{{T}}"] if symmetric else []
    if any(text == "0" for row in texts for text in row):
        notes.append("\\text{other entries zero}")
    return _listed(entries, ",\\; ".join(notes))


def _column(writer: Writer, name: str, arguments: str, column: Any) -> str:
    texts = [writer.write(x) for x in column]
    if max((len(text) for text in texts), default=0) <= LINE // 2:
        body = " \\\\\n".join(texts)
        return f"{name}({arguments}) = \\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}"
    return _listed({f"{name}_{{{k}}}": text for k, text in enumerate(texts, start=1)})


def _listed(entries: Mapping[str, str], note: str = "") -> str:
    """Equations for entries by name, those that are equal in one."""
    equal: dict[str, list[str]] = {}
    for name, text in entries.items():
        equal.setdefault(text, []).append(name)
    lines = [f"{' = '.join(names)} &= {_broken(text)}" for text, names in equal.items()]
    return _aligned([*lines, *([f"& {note}"] if note else [])], columns=1)


def _broken(text: str) -> str:
    """A long sum in several lines, broken before a sign outside parentheses."""
    lines: list[str] = [""]
    for piece in _terms(text):
        if len(lines[-1]) + len(piece) > LINE - 40 and lines[-1]:
            lines.append("")
        lines[-1] += piece
    return " \\\\\n&\\quad ".join(lines)


def _terms(text: str) -> Iterator[str]:
    depth, start = 0, 0
    for k, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and k and text[k : k + 3] in (" + ", " - "):
            yield text[start:k]
            start = k
    yield text[start:]


def _number(value: float | None) -> str:
    assert value is not None
    mantissa, _, exponent = f"{value:.10g}".partition("e")
    return f"{mantissa} \\cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _unit(unit: str) -> str:
    return "\\mathrm{" + unit.replace(" ", "\\,").replace("²", "^2") + "}"


def _text(text: str) -> str:
    """Text for LaTeX, with its special characters kept from meaning anything."""
    special = {c: f"\\{c}" for c in "&%$#_{}"} | {"\\": "/", "~": " ", "^": " "}
    return "".join(special.get(character, character) for character in " ".join(text.split()))
