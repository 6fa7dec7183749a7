"""Every example in the README, in docs/ and in docstrings runs and prints what it says.

In a document,

- ```` ```python ```` blocks run in order in one namespace, and a ```` ```text ```` block right
  after one is exactly what it prints (blanks at line ends aside);
- in ```` ```console ```` blocks the commands `$ percuss …` run and succeed, and the lines below
  them are their output, where `…` stands for anything, on a line of its own for any lines.

The examples of a file share a temporary working directory in which the repository's files
can be read. What is not to run is `text`. Where JAX is not installed, the python blocks that name
it are left out.
"""

from __future__ import annotations

import contextlib
import difflib
import doctest
import importlib
import io
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from percuss.kernel.errors import JaxMissingError

ROOT = Path(__file__).parents[1]
DOCUMENTS = [
    path
    for path in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *sorted((ROOT / "docs").rglob("*.md")),
    )
    if path.is_file() and "_build" not in path.parts
]
PACKAGE = ROOT / "src" / "percuss"
MODULES = sorted(
    ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if path.name != "__main__.py"
)

KINDS = ("python", "text", "console", "sh", "yaml", "xml", "json", "bibtex")


@dataclass(frozen=True)
class Block:
    """A fenced block: `line` is that of its first line of content, `end` that of its fence."""

    kind: str
    content: str
    line: int
    end: int


def blocks(text: str) -> list[Block]:
    """The fenced blocks of a document in order; MyST directives are left out."""
    found: list[Block] = []
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        opening = re.match(r"^( *)(`{3,}|~{3,})(.*)$", lines[number])
        number += 1
        if not opening:
            continue
        indent, fence, kind = opening.groups()
        start = number
        while number < len(lines) and lines[number].strip() != fence:
            number += 1
        assert number < len(lines), f"line {start}: block without an end"
        content = [line.removeprefix(indent) for line in lines[start:number]]
        number += 1
        if not kind.strip().startswith("{"):
            found.append(Block(kind.strip(), "\n".join(content), start + 1, number))
    return found


def expected_output(document: str, found: list[Block], index: int) -> Block | None:
    """The text block directly after a python block, if there is one."""
    if index + 1 == len(found) or found[index + 1].kind != "text":
        return None
    between = document.split("\n")[found[index].end : found[index + 1].line - 2]
    return found[index + 1] if not "".join(between).strip() else None


def commands(block: Block) -> Iterator[tuple[str, str]]:
    """(command, expected output) of a console block; a trailing backslash continues a line."""
    for part in re.split(r"^\$ ", block.content, flags=re.MULTILINE)[1:]:
        command, _, output = part.replace("\\\n", " ").partition("\n")
        yield command.strip(), output


def matches(expected: str, output: str) -> bool:
    """Whether the output is as written, with … for anything."""
    if not expected.strip():
        return True
    pattern = ""
    for line in trimmed(expected):
        if line.strip() == "…":
            pattern += r"(?:.*\n)*"
        else:
            pattern += ".*".join(re.escape(piece) for piece in line.split("…")) + r"[ \t]*\n"
    return re.fullmatch(pattern, "\n".join(trimmed(output)) + "\n") is not None


def trimmed(text: str) -> list[str]:
    """Lines without blanks at their ends or empty lines around them."""
    return [line.rstrip() for line in text.strip("\n").split("\n")]


def run_document(path: Path, root: Path) -> None:
    """Run the examples of a document in the current directory; raises where one is wrong."""
    document = path.read_text(encoding="utf-8")
    found = blocks(document)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for index, block in enumerate(found):
        at = f"{path.relative_to(root)}:{block.line}"
        if block.kind not in KINDS:
            allowed = ", ".join(KINDS)
            raise AssertionError(f"{at}: a block is one of {allowed}, not {block.kind!r}")
        if block.kind == "sh" and re.search(r"^(\$ )?percuss ", block.content, re.MULTILINE):
            raise AssertionError(f"{at}: write percuss commands as a console block: $ percuss …")
        if block.kind == "python" and (not names_jax(block) or jax_is_installed()):
            run_python(block, at, namespace, expected_output(document, found, index))
        if block.kind == "console":
            run_commands(block, at)


def names_jax(block: Block) -> bool:
    """Whether an example is about JAX, an extra; others must run without it."""
    return re.search(r"\bjax\b|_jax\b", block.content) is not None


def jax_is_installed() -> bool:
    try:
        importlib.import_module("jax")
    except ModuleNotFoundError:
        return False
    return True


def run_python(block: Block, at: str, namespace: dict[str, object], wanted: Block | None) -> None:
    printed = io.StringIO()
    # Empty lines in front make the line numbers of errors those of the document.
    text, file = "\n" * (block.line - 1) + block.content, at.partition(":")[0]
    # As a reader would run it: without the future that this module imports.
    code = compile(text, file, "exec", dont_inherit=True)
    try:
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
    except Exception as error:
        raise AssertionError(f"{at}: the example fails: {error!r}") from error
    if wanted is not None and trimmed(wanted.content) != trimmed(printed.getvalue()):
        lines = difflib.unified_diff(
            trimmed(wanted.content), trimmed(printed.getvalue()), "document", "printed", lineterm=""
        )
        raise AssertionError(f"{at}: the example prints something else\n" + "\n".join(lines))


def run_commands(block: Block, at: str) -> None:
    for command, wanted in commands(block):
        words = shlex.split(command)
        if words[0] != "percuss":
            continue
        result = subprocess.run(
            [sys.executable, "-m", *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        output = result.stdout.decode()
        if result.returncode != 0:
            raise AssertionError(f"{at}: `{command}` exits {result.returncode}\n{output}")
        if not matches(wanted, output):
            raise AssertionError(f"{at}: `{command}` prints something else\n{output}")


def run_isolated(path: Path, root: Path, workspace: Path) -> None:
    """Run a document in a process of its own, with the repository's files linked around it."""
    for entry in root.iterdir():
        if not entry.name.startswith(".") and entry.name != "out":
            (workspace / entry.name).symlink_to(entry)
    environment = os.environ | {
        "COLUMNS": "100",
        "MPLBACKEND": "Agg",
        "NO_COLOR": "1",
        "PYTHONIOENCODING": "utf-8",
        "TERM": "dumb",
    }
    result = subprocess.run(
        [sys.executable, __file__, str(path), str(root)],
        cwd=workspace,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, "\n" + result.stderr


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_of_document(path: Path, tmp_path: Path) -> None:
    run_isolated(path, ROOT, tmp_path)


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_docstrings(name: str) -> None:
    try:
        module = importlib.import_module(name)
    except JaxMissingError:
        pytest.skip("JAX is not installed")
    failed, _ = doctest.testmod(module, optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


@pytest.mark.parametrize(
    ("document", "complaint"),
    [
        ("```python\nx = 1\n```\n\nWords.\n\n```python\nprint(x)\n```\n\n```text\n1\n```\n", ""),
        ("```python\nprint(1)\n```\n```text\n2\n```\n", "prints something else"),
        ("```python\nprint(1)\n```\nWords.\n```text\n2\n```\n", ""),
        ("```python\n1 / 0\n```\n", "doc.md:2: the example fails: ZeroDivisionError"),
        ("```python no-run\n1 / 0\n```\n", "not 'python no-run'"),
        ("```\n1 / 0\n```\n", "a block is one of"),
        ("```sh\npercuss --help\n```\n", "as a console block"),
        ("```console\n$ make demo\nanything\n```\n", ""),
        ("```console\n$ percuss.no.such.module\n```\n", ""),
        ("```{note}\nNot an example.\n```\n", ""),
    ],
)
def test_wrong_examples_are_found(tmp_path: Path, document: str, complaint: str) -> None:
    root, workspace = tmp_path / "root", tmp_path / "workspace"
    root.mkdir()
    workspace.mkdir()
    (root / "doc.md").write_text(document, encoding="utf-8")
    if not complaint:
        run_isolated(root / "doc.md", root, workspace)
        return
    with pytest.raises(AssertionError, match=re.escape(complaint)):
        run_isolated(root / "doc.md", root, workspace)


def test_output_with_wildcards() -> None:
    assert matches("time … s\n…\nend", "time 3.2 s\nmuch\nmore\nend\n")
    assert matches("…\nend", "end\n")
    assert not matches("time … s", "time 3.2 s\nmore\n")


if __name__ == "__main__":
    try:
        run_document(Path(sys.argv[1]), Path(sys.argv[2]))
    except AssertionError as wrong:
        if wrong.__cause__ is not None:
            import traceback

            traceback.print_exception(wrong.__cause__)
        sys.exit(str(wrong))
