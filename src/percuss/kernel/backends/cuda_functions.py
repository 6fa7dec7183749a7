"""LLVM assembly of functions that GPU kernels have in line, without branches but for rare cases.

A branch ends the stretch of instructions that a compiler may interleave, and on a GPU two or three
warps share a multiprocessor's quarter: with CUDA's own division, sine and cosine, which branch in
every call, a step of a seven-joint arm takes a fifth longer.
"""

from __future__ import annotations

import math

from percuss.kernel.backends.llvm_text import Operations

RECIPROCAL = "@reciprocal"
QUOTIENT = "@quotient"
SINES_AND_COSINES = "@sines_and_cosines"

# With z = t²: sin t = t·(1 + z·P(z)) and cos t = 1 - z/2 + z²·Q(z) for |t| up to π/4, interpolated
# at Chebyshev's points; relative errors 2e-17 and 1e-18 (double), 1.3e-8 and 8e-10 (single).
_SINE = {
    False: (
        -0.16666666666666666,
        0.008333333333330948,
        -0.0001984126983675854,
        2.7557316102534617e-06,
        -2.505113184128889e-08,
        1.5918129027234826e-10,
    ),
    True: (-0.166666641831398, 0.008332747966051102, -0.00019587890710681677),
}
_COSINE = {
    False: (
        0.041666666666666664,
        -0.0013888888888887398,
        2.4801587298765665e-05,
        -2.7557317271718644e-07,
        2.087614626607931e-09,
        -1.1382632258093615e-11,
    ),
    True: (0.0416666641831398, -0.001388830249197781, 2.454794230288826e-05),
}
_QUARTER = {
    False: (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591697e-33),
    True: (1.5707963705062866, -4.371138828673793e-08, -1.7151245100058819e-15),
}
"""π/2 as a sum of three numbers of the precision."""
_FAR_WORD = {False: 0x41D00000, True: 0x47000000}
"""High words of 2³⁰ and 2¹⁵ rad, from which on the library reduces an angle: below, the three
numbers leave an error smaller than rounding, and the count of quarter turns fits its word."""
_ROUNDING = {False: 1.5 * 2.0**52, True: 1.5 * 2.0**23}
"""Added to a number, it leaves its nearest integer in the last bits of the sum."""


def reciprocal_lines(block: Operations) -> list[str]:
    """`double @reciprocal(double d)`: 1/d, to one unit in the last place.

    One step of third order from the processor's approximation, which is right to 23 bits. Numbers
    beyond 2¹⁰²² count as infinite and those below 2⁻¹⁰²² as zero.
    """
    rough_one = "@llvm.nvvm.rcp.approx.ftz.d"
    block.module.declare(rough_one, f"double {rough_one}(double)")
    rough = block.new(f"call double {rough_one}(double %d)")
    error = block.fused(block.emit("neg", ["%d"]), rough, block.target.constant(1.0))
    better = block.fused(rough, block.fused(error, error, error), rough)
    # Where it is zero, infinite or no number, it is right as it is.
    result = block.new(f"select i1 {_is_normal(block, rough)}, double {better}, double {rough}")
    return _function("double", RECIPROCAL, "double %d", [*block.lines, f"  ret double {result}"])


def quotient_lines(block: Operations) -> list[str]:
    """`double @quotient(double n, double d)`: n/d, to one unit in the last place.

    The product with the reciprocal, corrected by its remainder.
    """
    inverse = block.new(f"call double {RECIPROCAL}(double %d)")
    product = block.new(f"fmul double %n, {inverse}")
    left = block.fused(block.emit("neg", ["%d"]), product, "%n")
    corrected = block.fused(left, inverse, product)
    # Zeros and infinities leave nothing to correct.
    result = block.new(
        f"select i1 {_is_normal(block, product)}, double {corrected}, double {product}"
    )
    arguments = "double %n, double %d"
    return _function("double", QUOTIENT, arguments, [*block.lines, f"  ret double {result}"])


def _function(result: str, name: str, arguments: str, body: list[str]) -> list[str]:
    return [
        f"define internal {result} {name}({arguments}) alwaysinline #0 {{",
        "entry:",
        *body,
        "}",
    ]


def _is_normal(block: Operations, value: str) -> str:
    """Whether a double is neither zero, subnormal, infinite nor NaN, by its exponent alone."""
    exponent = block.new(f"and i32 {_high_word(block, value)}, {0x7FF00000}")
    below = block.new(f"sub i32 {exponent}, {0x00100000}")
    return block.new(f"icmp ult i32 {below}, {0x7FE00000}")


def _high_word(block: Operations, value: str) -> str:
    """Sign, exponent and the first bits of a real, 32 of them."""
    if block.target.single:
        return block.new(f"bitcast float {value} to i32")
    bits = block.new(f"bitcast double {value} to i64")
    return block.new(f"trunc i64 {block.new(f'lshr i64 {bits}, 32')} to i32")


def sines_and_cosines_lines(block: Operations, count: int, library: str) -> list[str]:
    """`{real, real, …} @sines_and_cosines_…(real x0, …)`: both of each of several angles (rad).

    All are reduced to at most π/4 (W. J. Cody, W. Waite, Software Manual for the Elementary
    Functions, 1980), or by the function of the library where any is large.
    """
    real, angles = block.target.real, [f"%x{k}" for k in range(count)]
    fields, pair = f"{{ {', '.join([real] * 2 * count)} }}", f"{{ {real}, {real} }}"
    block.module.declare(f"@{library}", f"{pair} @{library}({real})")
    near = _structure(block, fields, [value for x in angles for value in _near(block, x)])
    largest = _size_word(block, angles[0])
    for angle in angles[1:]:
        size = _size_word(block, angle)
        larger = block.new(f"icmp ugt i32 {size}, {largest}")
        largest = block.new(f"select i1 {larger}, i32 {size}, i32 {largest}")
    far = block.new(f"icmp uge i32 {largest}, {_FAR_WORD[block.target.single]}")
    block.lines += [f"  br i1 {far}, label %far, label %near", "far:"]
    values: list[str] = []
    for angle in angles:
        both = block.new(f"call {pair} @{library}({real} {angle})")
        values += [block.new(f"extractvalue {pair} {both}, {k}") for k in (0, 1)]
    reduced = _structure(block, fields, values)
    block.lines += [f"  ret {fields} {reduced}", "near:", f"  ret {fields} {near}"]
    arguments = ", ".join(f"{real} {angle}" for angle in angles)
    return _function(fields, f"{SINES_AND_COSINES}_{count}", arguments, block.lines)


def _near(block: Operations, x: str) -> tuple[str, str]:
    """Sine and cosine of an angle that is not large."""
    real, single, constant = block.target.real, block.target.single, block.target.constant
    word, bits = ("i32", 32) if single else ("i64", 64)
    # How many quarter turns, as a number and, in the last bits of `shifted`, as an integer.
    magic = constant(_ROUNDING[single])
    shifted = block.fused(x, constant(2.0 / math.pi), magic)
    turns = block.emit("neg", [block.new(f"fsub {real} {shifted}, {magic}")])
    t = x
    for part in _QUARTER[single]:
        t = block.fused(turns, constant(part), t)
    z = block.new(f"fmul {real} {t}, {t}")
    sine = block.fused(block.new(f"fmul {real} {z}, {t}"), _polynomial(block, _SINE, z), t)
    inner = block.fused(z, _polynomial(block, _COSINE, z), constant(-0.5))
    cosine = block.fused(inner, z, constant(1.0))
    count = block.new(f"bitcast {real} {shifted} to {word}")
    odd = block.new(f"trunc {word} {count} to i1")
    results: list[str] = []
    for first, second, offset in ((cosine, sine, 0), (sine, cosine, 1)):
        value = block.new(f"select i1 {odd}, {real} {first}, {real} {second}")
        # The second bit of the count is the sign, for the cosine a quarter turn later.
        half = block.new(f"and {word} {block.new(f'add {word} {count}, {offset}')}, 2")
        sign = block.new(f"shl {word} {half}, {bits - 2}")
        flipped = block.new(f"xor {word} {block.new(f'bitcast {real} {value} to {word}')}, {sign}")
        results.append(block.new(f"bitcast {word} {flipped} to {real}"))
    return results[0], results[1]


def _structure(block: Operations, fields: str, values: list[str]) -> str:
    """Several reals as one value."""
    result = "poison"
    for k, value in enumerate(values):
        result = block.new(f"insertvalue {fields} {result}, {block.target.real} {value}, {k}")
    return result


def _size_word(block: Operations, value: str) -> str:
    """The high word without the sign: as an integer it grows with the size of a real."""
    return block.new(f"and i32 {_high_word(block, value)}, {0x7FFFFFFF}")


def _polynomial(block: Operations, coefficients: dict[bool, tuple[float, ...]], z: str) -> str:
    """The polynomial in z with these coefficients, the constant one first."""
    *rest, last = coefficients[block.target.single]
    total = block.target.constant(last)
    for coefficient in reversed(rest):
        total = block.fused(total, z, block.target.constant(coefficient))
    return total
