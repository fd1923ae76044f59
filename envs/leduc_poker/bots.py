"""Two scripted bots for Leduc poker: `simple` never bluffs, `strong` bluffs and folds at random now and then."""

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.core.chance import below
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.leduc_poker.observe import CARD, PUBLIC
from sobremesa.envs.leduc_poker.rules import CALL, FOLD, NUM_CARDS, NUM_RANKS, NUM_SUITS, RAISE

_JACK, _QUEEN, _KING = range(NUM_RANKS)
_PAIR = NUM_RANKS
_BLUFFS, _GIVES_WAY, _OF = 1, 3, 5  # out of `_OF` times


@kernel
def _rank(observation, first):
    """Return the rank of the card in the block that begins at `first`, or NUM_RANKS where there is none."""
    for card in range(NUM_CARDS):
        if observation[first + card]:
            return card // NUM_SUITS
    return NUM_RANKS


@kernel
def _held(observation):
    mine = _rank(observation, CARD)
    return _PAIR if mine == _rank(observation, PUBLIC) else mine


@kernel
def simple(observation, mask, stream):
    """Raise with a pair or a king, fold a jack without one, call otherwise."""
    held = _held(observation)
    if held >= _KING:
        return RAISE if mask[RAISE] else CALL
    return FOLD if held == _JACK and mask[FOLD] else CALL


@kernel
def strong(observation, mask, stream):
    """Raise with a pair, and with a king before the public card; bluff with a jack and fold it at times."""
    held, second = _held(observation), _rank(observation, PUBLIC) < NUM_RANKS
    lot = below(stream, _OF)
    if held == _PAIR or (held == _KING and (not second or not mask[FOLD])):
        return RAISE if mask[RAISE] else CALL
    if mask[FOLD] and held < _KING:
        weak = held == _JACK or second
        return FOLD if weak and lot < _GIVES_WAY else CALL
    return RAISE if held == _JACK and mask[RAISE] and lot < _BLUFFS else CALL


BOTS = (KernelAgent("simple", simple), KernelAgent("strong", strong))
