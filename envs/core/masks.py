"""Kernels over masks of a fixed length: the only legal action, and a random legal action."""

from functools import cache
from typing import Any, NamedTuple

from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.bits import WORD, count_bits, lowest_bit, nth_bit, rows_of
from sobremesa.envs.core.compile.kernel import kernel


class Masks(NamedTuple):
    """Kernels over a contiguous mask `(A,)` int8 of zeros and ones."""

    sole: Any  # (mask) -> the only legal action; -1 if there are several, or none
    pick: Any  # (state, mask) -> as `chance.pick`, the same action for the same draw


@cache
def mask_kernels(actions: int) -> Masks:
    """Return the kernels for masks of `actions` entries, which are read 64 at a time."""
    last = (actions - 1) // WORD  # word
    whole, rest = rows_of(WORD).equal, rows_of(actions - WORD * last).equal

    @kernel
    def bits(mask, word):
        if word < last:
            return whole(mask, WORD * word, 1)
        return rest(mask, WORD * last, 1)

    @kernel
    def sole(mask):
        allowed, found = 0, 0
        for word in range(last + 1):
            held = bits(mask, word)
            allowed += count_bits(held)
            if held:
                found = WORD * word + lowest_bit(held)
        return found if allowed == 1 else -1

    @kernel
    def pick(state, mask):
        allowed = 0
        for word in range(last + 1):
            allowed += count_bits(bits(mask, word))
        left = below(state, allowed)
        passed, behind, within, held = 0, 0, 0, bits(mask, 0)
        for word in range(1, last + 1):  # no early exit: the branch would be unpredictable
            passed += count_bits(bits(mask, word - 1))
            if left >= passed:
                behind, within, held = passed, word, bits(mask, word)
        return WORD * within + nth_bit(held, left - behind)

    return Masks(sole, pick)
