"""Steps: one action of a player, and everything that follows without a choice; resampled states.

A seat is asked only if it has two legal actions or more. So after a deal and after each action, `go_on` does the
automatic moves, and a seat with a single legal action plays it, until there is a choice or the deal is over.
"""

from functools import cache
from typing import Any, NamedTuple

from sobremesa.envs.core import news
from sobremesa.envs.core.chance import count_allowed
from sobremesa.envs.core.compile.kernel import kernel, shared
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.masks import mask_kernels

DEAL = -1  # instead of an action


class Steps(NamedTuple):
    """Kernels over one record; both write the legal actions of `state.seat` into `mask` `(A,)` int8."""

    reset: Any  # (state, seed, mask)
    step: Any  # (state, action, mask)


@kernel
def sole_action(mask):
    """Return the only action that `mask` `(A,)` allows, or -1 if it allows several."""
    if count_allowed(mask) == 1:
        for action in range(mask.shape[0]):
            if mask[action]:
                return action
    return -1


@kernel
def _no_automatic_moves(state, mask):
    return False


@cache
def step_kernels(game: Game) -> Steps:
    """Return `reset` and `step` of `game`."""
    deal, legal, play = game.reset, game.legal, game.play
    go_on = game.go_on or _no_automatic_moves
    forget, sole = news.news_clearer(game.state), mask_kernels(game.num_actions).sole

    @kernel
    def advance(state, action, seed, mask):
        """Deal from `seed` if `action` is DEAL, else play it; then continue until a seat has a choice."""
        if action == DEAL:
            deal(state, seed)
        else:
            state.ply += 1
            forget(state)
            play(state, action)
        while not state.over:
            if go_on(state, mask):
                continue
            mask[:] = 0
            legal(state, mask)
            forced = sole(mask)
            if forced < 0:
                return
            play(state, forced)
        mask[:] = 0

    once = shared(advance)

    @kernel
    def reset(state, seed, mask):
        once(state, DEAL, seed, mask)

    @kernel
    def step(state, action, mask):
        once(state, action, 0, mask)

    return Steps(reset, step)


@cache
def redealer(game: Game) -> Any:
    """Return the kernel (state, seat, seed) that resamples everything that `seat` cannot know.

    It clears the number of plies and the news too, which depend on decisions of others.
    """
    resample, forget = shared(game.redeal), news.news_clearer(game.state)

    @kernel
    def redeal(state, seat, seed):
        resample(state, seat, seed)
        state.ply = 0
        forget(state)

    return redeal
