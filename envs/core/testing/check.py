"""The contract that every game keeps, as a public function, and the digest that names its rules.

`check_contract` plays random deals and raises ContractBroken at the first thing amiss; what it returns says what it
tried. The secrets kit is in secrets.py.
"""

import hashlib
import itertools
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterable
from functools import cache
from typing import Any

import numpy as np

from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.api.encoders import encoders, load_encoder
from sobremesa.envs.core.chance import STREAM, derive, pick, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.threads import run
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES, Game, Option
from sobremesa.envs.core.seeds import DEAL, seeds_of
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.pairs import all_pairs

TABLES = 4096  # whose pieces are counted at once


class ContractBroken(AssertionError):
    """A game does not keep the contract; the message names the game, setup, seed, ply and what is wrong."""


@cache
def rules_hash(game: Game) -> str:
    """Return a digest of how `game` behaves: states, masks, observations and payoffs of fixed random deals.

    It changes with any rule that these deals meet and with nothing else; bots and replays are tied to it.
    """
    digest = hashlib.sha256(f"{game.id} {game.num_actions} {game.layout.digest()}".encode())
    payoffs = np.zeros(game.max_seats, np.float32)
    for setup in _hashed_setups(game):
        for seed in range(2):
            for states, seat, action, observation, mask in random_deal(game, seed, setup, plies=120):
                table_kernels(game).payoff(states, payoffs)
                for part in (states, np.array([seat, action]), observation, mask, payoffs):
                    digest.update(part.tobytes())
    return digest.hexdigest()[:16]


def action_digest(game: Game) -> str:
    """Return a digest of the action table: two games with one digest number their actions alike."""
    return names_digest(action_names(game))


def action_names(game: Game) -> list[str]:
    """Return the English name of each action, in order of its number."""
    return [game.words.action_name(action, "en") for action in range(game.num_actions)]


def names_digest(names: Iterable[str]) -> str:
    """Return the digest of an action table: the first 16 hex digits of SHA-256 of `names`, a line each, as UTF-8."""
    return hashlib.sha256("\n".join(names).encode(errors="replace")).hexdigest()[:16]


def setups(game: Game) -> list[dict[str, Any]]:
    """Return setups in which any two choices of any two options meet: every seat count; of other numbers, the ends.

    Deals that end early show little of what else is chosen: first all others meet at the default of the options that
    bound how long a deal is (named `max_`...), then each choice of these meets the others.
    """
    options = game.options
    columns = [list(dict.fromkeys((option.default, *_ends(option)))) for option in options[1:]]
    columns = [list(game.seat_range), *columns]
    unbounded = [
        values[:1] if option.name.startswith("max_") else values
        for option, values in zip(options, columns, strict=True)
    ]
    rows = all_pairs(unbounded)
    rows += all_pairs(columns, rows)
    return [
        {
            option.name: value
            for option, value in zip(options, row, strict=True)
            if option is options[0] or value != option.default
        }
        for row in rows or itertools.product(*columns)  # one option has no pairs
    ]


def _hashed_setups(game: Game) -> list[dict[str, Any]]:
    """Return the setups of `rules_hash`, which never change: each seat count, then each other choice in turn.

    Choices that an option was given later are left out: what was made before knows nothing of them.
    """
    tried: list[dict[str, Any]] = [{"seats": seats} for seats in game.seat_range]
    for option in game.options[1:]:
        ends = _ends(option)
        for number, choice in enumerate(ends[: len(ends) - option.later]):
            if choice != option.default:
                tried.append({"seats": game.seat_range[number % len(game.seat_range)], option.name: choice})
    return tried


def _ends(option: Option) -> tuple[int | str | bool, ...]:
    choices = option.choices
    return (choices[0], choices[-1]) if isinstance(choices, range) else choices


def check_contract(
    game: Game, deals: int = 20, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> dict[str, int]:
    """Play `deals` random deals in each of `setups(game)` and check everything that generic code relies on.

    Returns how many setups, deals, plies and facts were checked; raises ContractBroken at the first that fails.
    """
    tally = {"setups": 0, "deals": 0, "plies": 0, "facts": 0}
    _check_names(game, tally)
    low, high = game.layout.bounds()
    tried = setups(game)
    for number, setup in enumerate(tried):
        for deal in range(deals):
            where = _Place(game, setup, seed + deal, tally)
            _check_deal(where, low, high)
            tally["deals"] += 1
        _check_words(_Place(game, setup, seed, tally))
        tally["setups"] += 1
        if progress is not None:
            progress(number + 1, len(tried))
    return tally


def check_pieces(
    game: Game, deals: int, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> dict[str, int]:
    """Count every piece of `game` at every ply of `deals` random deals, on the compiled kernels, in all `setups(game)`.

    Returns how many deals and plies there were; raises ContractBroken, naming a deal's setup and the ply, if a piece is
    lost or there twice, and ValueError for a game that does not say what its pieces are.
    """
    if game.all_there is None:
        raise ValueError(f"{game.id} does not say what its pieces are (Game.all_there)")
    tried = setups(game)
    count_all = _counting_kernel(game)
    plies = 0
    for low in range(0, deals, TABLES):
        size = min(TABLES, deals - low)
        tables = np.concatenate([game.new_tables(1, tried[(low + k) % len(tried)]) for k in range(size)])
        seeds = seeds_of(DEAL, seed, range(low, low + size))
        masks, lengths = np.zeros((size, game.num_actions), np.int8), np.zeros(size, np.int64)
        streams = np.zeros(size, STREAM)
        run(count_all, size, None, tables, seeds, streams, masks, lengths)
        for k in np.flatnonzero(lengths < 0):
            where = f"setup {tried[(low + k) % len(tried)]}, seed {seeds[k]}, ply {-lengths[k] - 1}"
            raise ContractBroken(f"{game.id}, {where}: a piece is lost, or there twice")
        plies += int(lengths.sum())
        if progress is not None:
            progress(low + size, deals)
    return {"deals": deals, "plies": plies}


@cache
def _counting_kernel(game: Game) -> Any:
    (reset, step), all_there = step_kernels(game), game.all_there

    @kernel
    def count_all(states, seeds, streams, masks, lengths, low, high):
        for i in range(low, high):
            state = states[i]
            reset(state, seeds[i], masks[i])
            start(streams[i], derive(seeds[i], 1, 0))
            there = all_there(state)
            while there and not state.over:
                step(state, pick(streams[i], masks[i]), masks[i])
                there = all_there(state)
            lengths[i] = state.ply if there else -1 - state.ply

    return count_all


class _Place:
    """Where a check stands; called with a fact, it counts it or raises."""

    def __init__(self, game: Game, setup: dict[str, Any], seed: int, tally: dict[str, int]) -> None:
        self.game, self.setup, self.seed, self.tally, self.ply = game, setup, seed, tally, 0

    def __call__(self, holds: Any, claim: str) -> None:
        self.tally["facts"] += 1
        if not holds:
            raise ContractBroken(f"{self.game.id}, setup {self.setup}, seed {self.seed}, ply {self.ply}: {claim}")


def _check_names(game: Game, tally: dict[str, int]) -> None:
    must = _Place(game, {}, 0, tally)
    for language in LANGUAGES:
        names = [game.words.action_name(action, language) for action in range(game.num_actions)]
        must(len(set(names)) == game.num_actions, f"two actions share a name in {language!r}")
        for action, name in enumerate(names):
            must(game.words.parse_action(name, language) == action, f"{name!r} does not parse back in {language!r}")


def _check_deal(must: _Place, low: np.ndarray, high: np.ndarray) -> None:
    game, kernels = must.game, table_kernels(must.game)
    payoffs = np.zeros(game.max_seats, np.float32)
    again = game.new_tables(1, must.setup)
    other_observation, other_mask = np.zeros_like(low), np.zeros(game.num_actions, np.int8)
    kernels.reset(again, must.seed, other_observation, other_mask)
    codes = np.empty(game.layout.width, np.uint8)
    for states, seat, action, observation, mask in random_deal(game, must.seed, must.setup):
        before = states.tobytes()
        state = states[0]
        must.ply = int(state.ply)
        must(before == again.tobytes(), "the same seed and actions gave another state")
        found = game.problems(states)  # that a seat has a choice is checked below
        must(not found, f"impossible state: {'; '.join(found)}")
        must(np.isin(mask, (0, 1)).all(), "the mask holds other numbers than 0 and 1")
        inside = (observation >= low).all() and (observation <= high).all()
        must(inside, "" if inside else _out_of_bounds(game, observation))
        kernels.payoff(states, payoffs)
        must(states.tobytes() == before, "asking for the payoff changed the state")
        kernels.legal(states, other_mask)
        must(states.tobytes() == before, "asking for the mask changed the state")
        must(seat != OVER or not other_mask.any(), "actions are allowed after the end")
        must((other_mask == mask).all(), "asking for the mask again gave another one")
        for one in range(int(state.seats)):
            kernels.observe(states, one, other_observation)
            must(states.tobytes() == before, "looking at the state changed it")
            must((other_observation >= low).all() and (other_observation <= high).all(), "observation out of bounds")
        if seat == OVER:
            must(state.over == 1, "nobody is to act in a running deal")
            _check_payoffs(must, payoffs[: int(state.seats)])
            return
        codes[:] = 0xFF
        kernels.encode(states, seat, codes)
        must((codes == game.layout.encode(observation)).all(), "the bytes of an observation depend on what was there")
        must(not payoffs.any(), "a running deal pays")
        must(mask.sum() >= 2, "a seat was asked that has no choice")
        must(0 <= seat < state.seats, f"seat {seat} is to act at a table of {state.seats}")
        must(state.ply < game.max_plies, f"the deal is longer than max_plies={game.max_plies}")
        kernels.step(again, action, other_observation, other_mask)
        must(again["ply"][0] == state.ply + 1, "a step did not count one ply")
        must.tally["plies"] += 1


def _check_words(must: _Place) -> None:
    """Ask for every text and picture now and then in one deal: they must be there, and the pictures be XML.

    What the encoders write must lie in their spaces: a text no longer, and in no other signs, than theirs allows.
    """
    game = must.game
    known = {name: (load_encoder(name), load_encoder(name).space(game)) for name in encoders()}
    for states, seat, *_ in random_deal(game, must.seed, must.setup):
        must.ply = int(states["ply"][0])
        if must.ply % 40 and seat != OVER:
            continue
        for viewer, language in itertools.product((None, *range(int(states["seats"][0]))), LANGUAGES):
            must(game.words.describe(states, viewer, language).strip(), f"no text for seat {viewer} in {language!r}")
            must(_is_xml(game.words.scene(states, viewer, language)), f"the picture for seat {viewer} is not XML")
            for name, (encoder, space) in known.items() if viewer is not None else ():
                view = make_view(game, states, viewer, new_stream(0))
                must(space.contains(encoder.encode(view, language)), f"encoder {name!r} leaves its space")


def _is_xml(text: str) -> bool:
    try:
        return bool(ElementTree.fromstring(text).tag)
    except ElementTree.ParseError:
        return False


def _check_payoffs(must: _Place, payoffs: np.ndarray) -> None:
    if must.game.cooperative:
        must((payoffs == payoffs[0]).all() and 0 <= payoffs[0] <= 1, f"a team's payoffs are {payoffs}")
    else:
        must(abs(payoffs.sum()) < 1e-5, f"payoffs {payoffs} do not sum to zero")
        must((np.abs(payoffs) <= 1).all(), f"payoffs {payoffs} leave [-1, 1]")


def _out_of_bounds(game: Game, observation: np.ndarray) -> str:
    for name, values in game.layout.split(observation).items():
        block = next(block for block in game.layout if block.name == name)
        if (values < block.low).any() or (values > block.high).any():
            return f"block {name!r} leaves [{block.low}, {block.high}]: {values.min()} to {values.max()}"
    return "observation is not a number"
