"""Slips of chapters 2–4 that no computation can show, or none of ours can yet."""

from __future__ import annotations

from percuss.sources.errata import Misprint

MISPRINTS = (
    Misprint("(2.6), (2.12)", "ᵐR; ᵐM ⁿW ⁿM", "ᶠ_mR; ᵐ_nM ⁿW ⁿ_mM", "indices lost"),
    Misprint("before (2.17)", "by derivation of (2.23)", "of (2.16)", "reference"),
    Misprint("(2.19)", "θ_b", "θ0, as everywhere else", "name"),
    Misprint("after (2.11), (2.25)", "equation (4.9)", "(2.11)", "reference"),
    Misprint("before (2.27)", "equation (2.4)", "(2.11)", "reference"),
    Misprint("(3.8)", "cross term ½ ∫ v_cᵀ[ω]×P dm", "factor 1", "the term is zero either way"),
    Misprint(
        "note to (3.9)",
        "(−[P]×ω)ᵀ = ωᵀ − [P]×ᵀ",
        "−ωᵀ[P]×ᵀ = ωᵀ[P]×",
        "a row minus a matrix is nothing",
    ),
    Misprint("after (3.14)", "u ∈ R⁵ˣ⁵", "u ∈ R⁵", "dimension"),
    Misprint("(3.28)", "−τ3", "−τ2", "there is no τ3"),
    Misprint(
        "chapter 4, assumption 1",
        "the impact is much shorter than the links' first period, so deflections do not change",
        "true of the first mode; the impulse depends on how many modes are kept",
        "needs elastic links, which are not computed here",
    ),
)
