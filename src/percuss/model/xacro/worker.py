"""Runs xacro on one file with its hands tied; a script of its own that imports nothing of ours.

Reads {"file", "folder", "arguments"} as JSON and writes {"text", "said"} or {"error"}.
"""

from __future__ import annotations

import ast
import io
import json
import os
import sys
from collections.abc import Callable
from contextlib import redirect_stderr
from importlib import import_module
from typing import Any

_MEMORY = 2 * 2**30
_CPU_SECONDS = 10
_LARGEST_TEXT = 64 * 2**20

_EVENTS = {
    # What evaluating an expression and parsing XML make Python do. All else is refused.
    "builtins.id",
    "code.__new__",
    "compile",
    "exec",
    "glob.glob",
    "glob.glob/2",
    "object.__delattr__",
    "object.__getattr__",
    "object.__setattr__",
    "sys._getframe",
}

_SYNTAX = (
    ast.Expression,
    ast.Constant,
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.Starred,
    ast.BinOp,
    ast.UnaryOp,
    ast.BoolOp,
    ast.Compare,
    ast.IfExp,
    ast.Call,
    ast.keyword,
    ast.List,
    ast.Tuple,
    ast.Dict,
    ast.Set,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.comprehension,
    ast.JoinedStr,
    ast.FormattedValue,
    ast.operator,
    ast.unaryop,
    ast.boolop,
    ast.cmpop,
    ast.expr_context,
)


class RefusedExpressionError(Exception):
    """Something that a file may not do."""


def check_expression(text: str) -> None:
    """Refuse an expression that could reach beyond numbers, texts and lists of them."""
    for node in ast.walk(ast.parse(text.strip(), mode="eval")):
        if not isinstance(node, _SYNTAX):
            raise RefusedExpressionError(
                f"{type(node).__name__} is not allowed in the expression {text!r}"
            )
        if isinstance(node, ast.Name) and node.id.startswith("__"):
            raise RefusedExpressionError(
                f"the name {node.id!r} is not allowed in the expression {text!r}"
            )
        if isinstance(node, ast.Attribute) and (
            node.attr.startswith("_") or node.attr in ("format", "format_map")
        ):
            raise RefusedExpressionError(f"the attribute {node.attr!r} is not allowed in {text!r}")


def guard(folder: str) -> Callable[[str, tuple[Any, ...]], None]:
    """An audit hook: reading below the folder, evaluating, and nothing else."""
    writing = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC

    def inside(path: Any) -> bool:
        if not isinstance(path, (str, bytes)):
            return False
        real = os.path.realpath(os.fsdecode(path))
        return os.path.commonpath([folder, real]) == folder

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = arguments
            if not inside(path) or (flags or 0) & writing:
                raise RefusedExpressionError(
                    f"may not open {path!r}: only files below {folder!r} are read"
                )
        elif event in ("os.listdir", "os.scandir"):
            if not inside(arguments[0] or "."):
                raise RefusedExpressionError(
                    f"may not list {arguments[0]!r}: only folders below {folder!r}"
                )
        elif event not in _EVENTS:
            raise RefusedExpressionError(f"may not {event!r}")

    return hook


def package_folder(name: str, file: str, folder: str) -> str:
    """Where `$(find NAME)` is: a folder of that name around the file, or below what is read."""
    above = os.path.dirname(file)
    while True:
        if os.path.basename(above) == name:
            return above
        if os.path.commonpath([folder, above]) == folder and os.path.isdir(f"{above}/{name}"):
            return os.path.join(above, name)
        if os.path.dirname(above) == above:
            raise RefusedExpressionError(
                f"$(find {name}): no folder {name!r} around the file or below {folder!r}; say "
                "where it is with folder=…"
            )
        above = os.path.dirname(above)


def restrict(xacro: Any, substitution: Any, file: str, folder: str) -> None:
    """Put our checks before what xacro evaluates and looks up."""
    evaluate = xacro.safe_eval

    def safe_eval(text: str, *tables: Any) -> Any:
        check_expression(text)
        return evaluate(text, *tables)

    def refused(what: str) -> Callable[..., Any]:
        def refuse(*given: Any, **_: Any) -> Any:
            raise RefusedExpressionError(
                f"{what} {given[0] if given else ''} is not read".replace("  ", " ")
            )

        return refuse

    def optional(name: str, default: str = "") -> str:
        del name  # as if none were set
        return default

    xacro.safe_eval = safe_eval
    substitution._eval = refused("$(eval …)")
    substitution._eval_env = refused("the environment variable")
    substitution._eval_optenv = optional
    substitution._eval_find = lambda name: package_folder(name, file, folder)


def bound() -> None:
    """Limit time, memory and writing where the system can."""
    try:
        import resource
    except ImportError:  # on Windows the caller's clock is the only bound
        return
    resource.setrlimit(resource.RLIMIT_CPU, (_CPU_SECONDS, _CPU_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def expanded(task: dict[str, Any]) -> dict[str, str]:
    """The answer to one task."""
    # All is imported before the guard is up, since it lets nothing be imported.
    for name in ("xml.dom.expatbuilder", "xml.dom.minidom", "yaml"):
        import_module(name)
    xacro, substitution = import_module("xacro"), import_module("xacro.substitution_args")
    file, folder = task["file"], task["folder"]
    os.environ.clear()
    os.chdir(folder)
    bound()
    restrict(xacro, substitution, file, folder)
    sys.addaudithook(guard(folder))
    said = io.StringIO()
    try:
        with redirect_stderr(said):
            document = xacro.process_file(file, mappings=task["arguments"])
            text = document.toprettyxml(indent="  ")
    except MemoryError:
        return {"error": "it needs more than 2 GiB"}
    except RecursionError:
        return {"error": "its macros call each other without end"}
    except Exception as error:  # whatever a file makes xacro raise is about that file
        cause: BaseException = error
        while isinstance(getattr(cause, "exc", None), BaseException):
            cause = cause.exc  # type: ignore[attr-defined]  # xacro wraps what it meets
        if isinstance(cause, MemoryError):
            return {"error": "it needs more than 2 GiB"}
        told = cause if isinstance(cause, RefusedExpressionError) else error
        lines = (str(told) or repr(cause)).splitlines()
        return {"error": "; ".join(line.strip() for line in lines)}
    if len(text) > _LARGEST_TEXT:
        return {"error": f"it becomes {len(text) // 2**20} MiB of XML; allowed are 64 MiB"}
    return {"text": text, "said": said.getvalue().strip()}


def main() -> None:
    """One task from standard input, one answer to standard output."""
    answer = expanded(json.load(sys.stdin))
    sys.stdout.write(json.dumps(answer))


if __name__ == "__main__":
    main()
