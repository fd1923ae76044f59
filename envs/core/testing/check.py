"""The contract of every game, and the digest of its rules.

`check_contract` plays random deals and raises ContractBroken at the first broken clause. `sobremesa.envs.testing` runs
it together with all other checks.
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
from sobremesa.envs.core.deal import Ply, random_deal
from sobremesa.envs.core.game import LANGUAGES, Game, Option
from sobremesa.envs.core.record import to_bytes
from sobremesa.envs.core.seeds import DEAL, seeds_of
from sobremesa.envs.core.steps import step_kernels
from sobremesa.envs.core.table import OVER, table_kernels
from sobremesa.envs.core.testing.pairs import all_pairs
from sobremesa.envs.core.wording import StoredWords, picture_of

TABLES = 4096  # per call of the counting kernel


class ContractBroken(AssertionError):
    """A game breaks a clause of the contract; the message names the game, setup, seed, ply and clause."""


@cache
def rules_hash(game: Game) -> str:
    """Return a digest of the states, masks, observations and payoffs of fixed random deals.

    It changes with every rule that these deals use, and not with words or pictures. Bots and replays store it.
    """
    digest = hashlib.sha256(f"{game.id} {game.num_actions} {game.layout.digest()}".encode())
    payoffs = np.zeros(game.max_seats, np.float32)
    for setup in _hashed_setups(game):
        for seed in range(2):
            for ply in random_deal(game, seed, setup, plies=120):
                table_kernels(game).payoff(ply.states, payoffs)
                digest.update(to_bytes(ply.states, game.later))
                for part in (np.array([ply.seat, ply.action]), ply.observation, ply.mask, payoffs):
                    digest.update(part.tobytes())
    return digest.hexdigest()[:16]


def action_digest(game: Game) -> str:
    """Return a digest of the stored names of the actions: games with the same digest have the same actions."""
    return names_digest(stored_names(game))


def stored_names(game: Game) -> list[str]:
    """Return the name of each action in files, by number: `StoredWords.stored_name`, or the English name."""
    words = game.words
    stored = words.stored_name if isinstance(words, StoredWords) else lambda action: words.action_name(action, "en")
    return [stored(action) for action in range(game.num_actions)]


def names_digest(names: Iterable[str]) -> str:
    """Return the first 16 hex digits of the SHA-256 of `names`, one per line, as UTF-8."""
    return hashlib.sha256("\n".join(names).encode(errors="replace")).hexdigest()[:16]


def setups(game: Game) -> list[dict[str, Any]]:
    """Return setups that contain every pair of values of two options: all seat counts; the ends of other ranges.

    Options named `max_...` shorten deals, and a short deal tests the other options badly. So all pairs of the other
    options come first, with the `max_...` options at their defaults, and then the pairs with these options.
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
        for row in rows or itertools.product(*columns)  # a single option has no pairs
    ]


def _hashed_setups(game: Game) -> list[dict[str, Any]]:
    """Return the setups of `rules_hash`, which must never change: each seat count, then each other choice in turn.

    Choices that were added to an option later (`Option.later`) are left out, so that older digests stay valid.
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
    """Play `deals` random deals in each of `setups(game)` and check the clauses that generic code relies on.

    Returns the numbers of setups, deals, plies and facts checked; raises ContractBroken at the first failure.
    """
    tally = dict.fromkeys(("setups", "deals", "plies", "facts"), 0)
    _check_names(game, tally)
    low, high = game.layout.bounds()
    tried = setups(game)
    for number, setup in enumerate(tried):
        for deal in range(deals):
            where = Place(game, setup, seed + deal, tally)
            _check_deal(where, low, high)
            tally["deals"] += 1
        _check_words(Place(game, setup, seed, tally))
        tally["setups"] += 1
        if progress is not None:
            progress(number + 1, len(tried))
    return tally


def check_pieces(
    game: Game, deals: int, seed: int = 0, progress: Callable[[int, int], None] | None = None
) -> dict[str, int]:
    """Count every piece at every ply of `deals` random deals, in compiled code, over all `setups(game)`.

    Returns the numbers of deals and plies; raises ContractBroken if a piece is lost or duplicated, and ValueError for a
    game without `all_there`.
    """
    if game.all_there is None:
        raise ValueError(f"{game.id} has no Game.all_there, the kernel that counts pieces")
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
            raise ContractBroken(f"{game.id}, {where}: pieces: one is lost or duplicated")
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


class Place:
    """The position of a check: game, setup, seed and ply. Call it with a fact, a clause and a claim."""

    def __init__(self, game: Game, setup: dict[str, Any], seed: int, tally: dict[str, int]) -> None:
        self.game, self.setup, self.seed, self.tally, self.ply = game, setup, seed, tally, 0

    def __call__(self, holds: Any, clause: str, claim: str) -> None:
        """Count the fact; raise ContractBroken with `clause` and `claim` if it does not apply."""
        self.tally["facts"] += 1
        if not holds:
            where = f"{self.game.id}, setup {self.setup}, seed {self.seed}, ply {self.ply}"
            raise ContractBroken(f"{where}: {clause}: {claim}")


def _check_names(game: Game, tally: dict[str, int]) -> None:
    must = Place(game, {}, 0, tally)
    for language in LANGUAGES:
        names = [game.words.action_name(action, language) for action in range(game.num_actions)]
        must(len(set(names)) == game.num_actions, "names", f"two actions share a name in {language!r}")
        for action, name in enumerate(names):
            parsed = game.words.parse_action(name, language)
            must(parsed == action, "names", f"{name!r} does not parse back in {language!r}")


def _check_deal(must: Place, low: np.ndarray, high: np.ndarray) -> None:
    game, kernels = must.game, table_kernels(must.game)
    payoffs = np.zeros(game.max_seats, np.float32)
    again = game.new_tables(1, must.setup)
    observation, mask = np.zeros_like(low), np.zeros(game.num_actions, np.int8)
    kernels.reset(again, must.seed, observation, mask)
    for ply in random_deal(game, must.seed, must.setup):
        states, state = ply.states, ply.states[0]
        must.ply = int(state.ply)
        must(states.tobytes() == again.tobytes(), "determinism", "the same seed and actions gave another state")
        problems = game.problems(states)
        must(not problems, "problems", f"impossible state: {'; '.join(problems)}")
        must(ply.seat != OVER or state.over == 1, "turns", "no seat is to act in a running deal")
        _check_looking(must, ply, low, high, payoffs)
        if ply.seat == OVER:
            _check_payoffs(must, payoffs[: int(state.seats)])
            return
        must(not payoffs.any(), "payoff", "a running deal pays")
        must(ply.mask.sum() >= 2, "turns", "a seat was asked that has no choice")
        must(0 <= ply.seat < state.seats, "turns", f"seat {ply.seat} is to act at a table of {state.seats}")
        must(state.ply < game.max_plies, "length", f"the deal is longer than max_plies={game.max_plies}")
        kernels.step(again, ply.action, observation, mask)
        must(again["ply"][0] == state.ply + 1, "turns", "a step did not count one ply")
        must.tally["plies"] += 1


def _check_looking(must: Place, ply: Ply, low: np.ndarray, high: np.ndarray, payoffs: np.ndarray) -> None:
    """Check mask and observations, and that `legal`, `observe` and `payoff` leave the state unchanged."""
    game, kernels, states = must.game, table_kernels(must.game), ply.states
    before, seats = states.tobytes(), int(states["seats"][0])
    observation, mask = np.zeros_like(low), np.zeros(game.num_actions, np.int8)
    must(np.isin(ply.mask, (0, 1)).all(), "mask", "the mask holds other numbers than 0 and 1")
    inside = (ply.observation >= low).all() and (ply.observation <= high).all()
    must(inside, "observation", "" if inside else _out_of_bounds(game, ply.observation))
    kernels.payoff(states, payoffs)
    must(states.tobytes() == before, "payoff", "asking for the payoff changed the state")
    kernels.legal(states, mask)
    must(states.tobytes() == before, "mask", "asking for the mask changed the state")
    must(ply.seat != OVER or not mask.any(), "mask", "actions are allowed after the end")
    must((mask == ply.mask).all(), "mask", "asking for the mask again gave another one")
    for seat in range(seats):
        kernels.observe(states, seat, observation)
        must(states.tobytes() == before, "observation", "looking at the state changed it")
        must((observation >= low).all() and (observation <= high).all(), "observation", "observation out of bounds")
    if 0 <= ply.seat < seats:
        codes = np.full(game.layout.width, 0xFF, np.uint8)
        kernels.encode(states, ply.seat, codes)
        same = (codes == game.layout.encode(ply.observation)).all()
        must(same, "observation", "the bytes of an observation depend on what was there")


def _check_words(must: Place) -> None:
    """Check texts, pictures (valid XML) and encoders (inside their spaces) now and then in one deal."""
    game = must.game
    known = {name: (load_encoder(name), load_encoder(name).space(game)) for name in encoders()}
    for states, seat, *_ in random_deal(game, must.seed, must.setup):
        must.ply = int(states["ply"][0])
        if must.ply % 40 and seat != OVER:
            continue
        for viewer, language in itertools.product((None, *range(int(states["seats"][0]))), LANGUAGES):
            text, picture = (make(states, viewer, language) for make in (game.words.describe, game.words.scene))
            must(text.strip(), "words", f"no text for seat {viewer} in {language!r}")
            must(_is_xml(picture), "words", f"the picture for seat {viewer} is no SVG; it begins {picture[:40]!r}")
            phones = picture_of(game.words, narrow=True)(states, viewer, language)
            must(_is_xml(phones), "words", f"the narrow picture for seat {viewer} is no SVG; it begins {phones[:40]!r}")
            for name, (encoder, space) in known.items() if viewer is not None else ():
                view = make_view(game, states, viewer, new_stream(0))
                inside = space.contains(encoder.encode(view, language))
                must(inside, "words", f"encoder {name!r} leaves its space for seat {viewer} in {language!r}")


def _is_xml(text: str) -> bool:
    try:
        return bool(ElementTree.fromstring(text).tag)
    except ElementTree.ParseError:
        return False


def _check_payoffs(must: Place, payoffs: np.ndarray) -> None:
    if must.game.cooperative:
        alike = (payoffs == payoffs[0]).all() and 0 <= payoffs[0] <= 1
        must(alike, "payoff", f"a team's payoffs are {payoffs}; all must be the same number from 0 to 1")
    else:
        must(abs(payoffs.sum()) < 1e-5, "payoff", f"payoffs {payoffs} do not sum to zero")
        must((np.abs(payoffs) <= 1).all(), "payoff", f"payoffs {payoffs} leave [-1, 1]")


def _out_of_bounds(game: Game, observation: np.ndarray) -> str:
    for name, values in game.layout.split(observation).items():
        block = next(block for block in game.layout if block.name == name)
        if (values < block.low).any() or (values > block.high).any():
            return f"block {name!r} leaves [{block.low}, {block.high}]: {values.min()} to {values.max()}"
    return "observation is not a number"
