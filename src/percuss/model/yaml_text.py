"""YAML read strictly: numbers like 1e-3 are numbers, duplicate keys are refused, lines are kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from percuss.io.reading import file_bytes, utf8_text
from percuss.model.errors import ModelError

MOST_BYTES = 5_000_000
"""Of a YAML file; a system of a thousand bodies has 1 MB. PyYAML takes a second for one of text."""
MOST_VALUES = 100_000
"""Of a document, aliases counted as often as they stand for something: a system of a thousand
bodies has 50,000. PyYAML takes 3 to 8 seconds for so many."""
_LONGEST_NUMBER = 400
"""Characters of a whole number: the largest that is still a number to the processor has 309."""


class Located(dict[Any, Any]):
    """A mapping that knows the file and line it came from, and the line of each key."""

    file: str = ""
    line: int = 0
    lines: dict[Any, int]


class _Loader(yaml.SafeLoader):
    """`SafeLoader` with the number syntax of YAML 1.2 and located mappings.

    Values are counted while they are read, and one that does not fit its tag is named.
    """

    count = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        self.count += 1
        if self.count > MOST_VALUES:
            line = self.get_mark().line + 1
            raise ModelError(f"{self.name}, line {line}: holds more than {MOST_VALUES} values")
        return super().compose_node(parent, index)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep=deep)
        except (ModelError, yaml.YAMLError):
            raise
        except (ValueError, TypeError, LookupError, AttributeError, OverflowError) as error:
            # A date that does not exist, `!!int a`.
            given = f"{node.value[:40]!r} is" if isinstance(node.value, str) else "this is"
            what = node.tag.rpartition(":")[2]
            raise ModelError(
                f"{self.name}, line {node.start_mark.line + 1}: not valid YAML: {given} no {what}"
            ) from error


def load_yaml(path: str | Path) -> Any:
    """The document in a file; ModelError with file and line when it is not valid YAML."""
    path = Path(path)
    data = file_bytes(path, "a YAML file", MOST_BYTES)
    return parse_yaml(utf8_text(data, str(path)), str(path))


def parse_yaml(text: str, file: str = "<text>") -> Any:
    """The document in a text; `file` names it in errors."""
    loader = None
    try:
        loader = _Loader(text)
        loader.name = file
        node = loader.get_single_node()
        if node is None:
            return None
        _refuse_expansion(node, file)
        return loader.construct_document(node)
    except ModelError:
        raise
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise ModelError(
            f"{file}, line {line}: not valid YAML: the character {chr(error.character)!r} "
            "is not allowed"
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        line = f", line {mark.line + 1}" if mark else ""
        problem = getattr(error, "problem", None) or str(error)
        raise ModelError(f"{file}{line}: not valid YAML: {problem}") from error
    except RecursionError as error:
        raise ModelError(f"{file}: lists and mappings are nested too deeply to be read") from error
    finally:
        if loader is not None:
            loader.dispose()


def _refuse_expansion(root: yaml.Node, file: str) -> None:
    """ModelError where aliases stand for too much, or something is a part of itself."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()
    waiting = [(root, False)]
    while waiting:
        node, is_done = waiting.pop()
        parts = _parts(node)
        where = f"{file}, line {node.start_mark.line + 1}"
        if is_done:
            open_nodes.discard(id(node))
            sizes[id(node)] = 1 + sum(sizes[id(part)] for part in parts)
            if sizes[id(node)] > MOST_VALUES:
                raise ModelError(
                    f"{where}: stands for more than {MOST_VALUES} values, aliases counted"
                )
        elif id(node) in open_nodes:
            raise ModelError(f"{where}: is a part of itself, by an alias")
        elif id(node) not in sizes:
            open_nodes.add(id(node))
            waiting.append((node, True))
            waiting += [(part, False) for part in parts]


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def place(mapping: Any, key: Any = None) -> str:
    """ "file, line n: " of a mapping or of one of its keys, empty when unknown."""
    if not isinstance(mapping, Located):
        return ""
    return f"{mapping.file}, line {mapping.lines.get(key, mapping.line)}: "


def _mapping(loader: _Loader, node: yaml.MappingNode) -> Located:
    result = Located()
    result.file, result.line = loader.name, node.start_mark.line + 1
    result.lines = {}
    for key_node, value_node in node.value:
        key = loader.construct_object(key_node, deep=True)
        line = key_node.start_mark.line + 1
        if not isinstance(key, (str, int, float, bool)):
            raise ModelError(f"{loader.name}, line {line}: a key must be text, got {key!r}")
        if key in result:
            raise ModelError(
                f"{loader.name}, line {line}: the key {key!r} is given twice "
                f"(first in line {result.lines[key]})"
            )
        result[key] = loader.construct_object(value_node, deep=True)
        result.lines[key] = line
    return result


def _whole_number(loader: _Loader, node: yaml.ScalarNode) -> int:
    if len(node.value) > _LONGEST_NUMBER:
        raise ModelError(
            f"{loader.name}, line {node.start_mark.line + 1}: the number {node.value[:20]}… has "
            f"{len(node.value)} characters; allowed are at most {_LONGEST_NUMBER}"
        )
    return loader.construct_yaml_int(node)


_Loader.add_constructor("tag:yaml.org,2002:int", _whole_number)
_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _mapping)
# YAML 1.1 wants a dot and a sign in an exponent, so that 1e-3 would be text.
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)$"),
    list("-+.0123456789"),
)
