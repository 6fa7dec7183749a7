"""Python files with control laws that do what laws should not. None of them does any harm."""

from __future__ import annotations

from random import Random

_HEADS = (
    *("import numpy as np", "import jax.numpy as jnp", "import math", "") * 3,
    *("import nothing_there", "raise ValueError('at import')", "import sys; sys.exit(3)"),
    *("x = 1 / 0", "def broken(:"),
)

_SIGNATURES = ("t, q, v, memory",) * 8 + (
    "t, q, v",
    "",
    "*a",
    "t, q, v, memory, more",
    "t, q, v, memory=3",
)

_COMMANDS = (
    "-5.0 * v[:5]", "-5.0 * v", "0.0 * v[:2]", "v[:5] * 1j", "None", "'text'", "[0, 0, 0, 0, 0]",
    "[1e308] * 5", "float('nan') * v[:5]", "q", "v[99]", "v.nothing", "1 / 0 * v[:5]",
    "undefined_name", "(v[:5],)", "{1: 2}", "print('x') or 0.0 * v[:5]", "sys.exit(0)", "exit()",
    "law(t, q, v, memory)[0]", "np.linalg.eigvals(np.outer(v, v)).real[:5]", "v[:5] ** 0.5",
    "v[:5] if v[0] > 0 else -v[:5]",
    "math.sin(t) * v[:5]", "np.random.rand(5)", "jnp.sort(v)[:5]", "v[:5].astype(int)", "True",
)  # fmt: skip

_MEMORIES = ("memory",) * 4 + (
    "None",
    "1.0",
    "[1.0, 2.0]",
    "memory + 1",
    "'a'",
    "v",
    "{}",
    "v[:5] * 1j",
)

_ENDS = ("return {command}, {memory}",) * 6 + (
    "return {command}",
    "return {command}, {memory}, 3",
    "yield {command}",
    "raise RuntimeError('in the law')",
    "raise SystemExit",
    "pass",
)


def odd_law(rng: Random) -> str:
    """The text of a Python file; most have a mistake in one or two places."""

    def part(choices: tuple[str, ...]) -> str:
        """The first is right."""
        return rng.choice(choices) if rng.random() < 0.35 else choices[0]

    end = part(_ENDS).format(command=part(_COMMANDS), memory=part(_MEMORIES))
    lines = [part(_HEADS), f"def {part(('law', 'Law'))}({part(_SIGNATURES)}):", f"    {end}"]
    return "\n".join(lines) + "\n"
