"""Every game keeps the contract, and `check_contract` catches games that are broken on purpose."""

import dataclasses
import json
import re

import goldens
import numpy as np
import pytest
from kuhn import BET, GAME, LAYOUT, legal, observe, payoff, play, reset
from rooms import ALL, TORO, brief, with_words
from scale import LONG_IN_PLAIN, PLAIN

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_by
from sobremesa.envs.core.layout import FLOAT, Layout
from sobremesa.envs.core.seats import share_win
from sobremesa.envs.core.table import OVER
from sobremesa.envs.core.testing.check import ContractBroken, check_contract, rules_hash, setups
from sobremesa.envs.ese_toro_enamorado.rules import legal as toro_legal
from sobremesa.envs.ese_toro_enamorado.state import A_STAY

pytestmark = pytest.mark.kernels

every_game = pytest.mark.parametrize("game", ALL, ids=lambda game: game.name)


@pytest.mark.skipif(PLAIN, reason="the digests below say that the same deals go alike in plain Python")
@every_game
def test_every_game_keeps_the_contract(game):
    deals = 10 if game is GAME else 1
    game = brief(game)
    tally = check_contract(game, deals)
    assert tally["setups"] == len(setups(game)) >= len(game.seat_range)
    assert tally["deals"] == deals * tally["setups"]
    assert tally["plies"] >= 2 * tally["deals"]
    assert tally["facts"] > 10 * tally["plies"]


def test_the_contract_tries_every_choice_of_every_option():
    tried = setups(TORO)
    for option in TORO.options:
        some = option.choices if not isinstance(option.choices, range) else (option.choices[0], option.choices[-1])
        for choice in some:
            assert any(setup.get(option.name, option.default) == choice for setup in tried), f"{option.name}={choice}"


def test_progress_is_told_after_each_setup():
    told = []
    check_contract(GAME, 1, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 1)]


# Games broken on purpose.


@kernel
def pays_a_gift(state, out):
    payoff(state, out)
    if state.over:
        out[0] += 0.25


@kernel
def pays_too_much(state, out):
    payoff(state, out)
    out[0] *= 3
    out[1] *= 3


@kernel
def pays_early(state, out):
    payoff(state, out)
    if not state.over and state.last == BET:
        out[0], out[1] = 0.5, -0.5


@kernel
def pays_by_changing(state, out):
    payoff(state, out)
    state.pot[0] = 2


@kernel
def observes_too_much(state, seat, out):
    observe(state, seat, out)
    out[6] = 2 * state.ply  # the block "pot", up to 1


@kernel
def observes_too_much_when_waiting(state, seat, out):
    observe(state, seat, out)
    if state.seat != seat:
        out[6] = 9


LAYOUT_OF_FLOATS = Layout(*(dataclasses.replace(block, per=FLOAT) for block in LAYOUT))
_TAIL = LAYOUT_OF_FLOATS.tail


@kernel
def observes_no_number(state, seat, out):
    observe(state, seat, out)
    out[_TAIL:].view(np.float32)[0] = np.nan


@kernel
def observes_a_part(state, seat, out):
    out[_TAIL:] = 0


@kernel
def observes_by_changing(state, seat, out):
    observe(state, seat, out)
    state.deck[0], state.deck[1] = state.deck[1], state.deck[0]


@kernel
def observes_nothing(state, seat, out):
    out[:] = 0


@kernel
def allows_nothing(state, mask):
    if state.ply != 1:
        legal(state, mask)


@kernel
def allows_one(state, mask):
    legal(state, mask)
    if state.last == BET:
        mask[BET] = 0


@kernel
def allows_after_the_end(state, mask):
    mask[:] = 1


@kernel
def allows_doubly(state, mask):
    legal(state, mask)
    mask[:] *= 2


@kernel
def allows_by_changing(state, mask):
    legal(state, mask)
    state.stream[0] += np.uint32(1)


@kernel
def plays_twice(state, action):
    play(state, action)
    if state.ply == 2:
        state.ply += 1


@kernel
def plays_to_a_missing_seat(state, action):
    play(state, action)
    state.seat = 7


@kernel
def plays_with_marked_cards(state, action):
    play(state, action)
    state.deck[2] = state.deck[0]


@kernel
def resets_by_other_chance(state, seed):
    reset(state, seed)
    state.stream[:] = np.uint32(np.random.randint(1, 2**31 - 1))


def one_name(action, language):
    return {"en": "play", "es": "apostar" if action else "pasar"}[language]


def numbered(text, language):
    return 0


def never_impossible(table):
    return []


BROKEN = {
    "pays a gift": ({"payoff": pays_a_gift}, r"payoffs \[.*\] do not sum to zero"),
    "pays too much": ({"payoff": pays_too_much}, r"payoffs \[.*\] leave \[-1, 1\]"),
    "pays while running": ({"payoff": pays_early}, "a running deal pays"),
    "pays one of a team more": ({"cooperative": True}, "a team's payoffs are"),
    "payoff changes the state": ({"payoff": pays_by_changing}, "asking for the payoff changed the state"),
    "legal changes the state": ({"legal": allows_by_changing}, "asking for the mask changed the state"),
    "observation out of bounds": ({"observe": observes_too_much}, r"block 'pot' leaves \[0.0, 1.0\]: .* to 2.0"),
    "a waiting seat's out of bounds": ({"observe": observes_too_much_when_waiting}, "observation out of bounds"),
    "observation no number": (
        {"observe": observes_no_number, "layout": LAYOUT_OF_FLOATS},
        "observation is not a number",
    ),
    "bytes left as they were": (
        {"observe": observes_a_part, "layout": LAYOUT_OF_FLOATS},
        "the bytes of an observation depend on what was there",
    ),
    "observe changes the state": ({"observe": observes_by_changing}, "looking at the state changed it"),
    "nothing is legal": ({"legal": allows_nothing}, "a seat was asked that has no choice"),
    "legal after the end": ({"legal": allows_after_the_end}, "actions are allowed after the end"),
    "a mask of twos": ({"legal": allows_doubly}, "the mask holds other numbers than 0 and 1"),
    "two plies a step": ({"play": plays_twice}, "a step did not count one ply"),
    "a missing seat acts": (
        {"play": plays_to_a_missing_seat, "observe": observes_nothing, "problems": never_impossible},
        "seat 7 is to act at a table of 2",
    ),
    "an impossible state": ({"play": plays_with_marked_cards}, "impossible state: cards"),
    "not from the seed": ({"reset": resets_by_other_chance}, "the same seed and actions gave another state"),
    "too long": ({"max_plies": 2}, "the deal is longer than max_plies=2"),
    "a shared name": (
        {"words": dataclasses.replace(GAME.words, action_name=one_name)},
        "two actions share a name in 'en'",
    ),
    "a name that does not parse back": (
        {"words": dataclasses.replace(GAME.words, parse_action=numbered)},
        "'bet' does not parse back in 'en'",
    ),
    "a picture that is text": (
        {"words": dataclasses.replace(GAME.words, scene=lambda *_: "a king")},
        "the picture for seat None is no SVG; it begins 'a king'",
    ),
}


@pytest.mark.parametrize(("changes", "claim"), BROKEN.values(), ids=BROKEN)
def test_a_broken_game_is_caught_with_setup_seed_and_ply(changes, claim):
    with pytest.raises(ContractBroken, match=claim) as caught:
        check_contract(dataclasses.replace(GAME, **changes), 20, seed=5)
    assert re.match(r"kuhn-v1, setup {.*}, seed \d+, ply \d+: ", str(caught.value))


def test_a_broken_game_names_the_very_ply():
    with pytest.raises(ContractBroken, match=r"setup {'seats': 2}, seed 5, ply 1: turns: a seat was asked"):
        check_contract(dataclasses.replace(GAME, legal=allows_nothing), 20, seed=5)


def test_a_seat_with_one_action_plays_it_unasked():
    game = dataclasses.replace(GAME, legal=allows_one)
    check_contract(game, 5)
    bets, *rest = deal_by(game, 0, {}, lambda *_: BET)
    assert (bets.action, bets.seat, [ply.seat for ply in rest]) == (BET, 0, [OVER])
    end = rest[0].states[0]
    assert (end.ply, end.over, end.pot.tolist()) == (1, 1, [2, 1])  # the other has passed


# The digest of the rules.


@LONG_IN_PLAIN  # where golden playthroughs compare the same digests of other deals
@every_game
def test_rules_hash_is_the_recorded_one_in_every_mode(game):
    name = "hashes.json"
    known = json.loads(goldens.read(name)) if (goldens.FOLDER / name).exists() else {}
    if goldens.REGENERATE:
        goldens.rewrite(name, json.dumps({**known, game.id: rules_hash(game)}, indent=2, sort_keys=True) + "\n")
    assert rules_hash(game) == known[game.id], "the rules changed: that takes a new version, and REGENERATE=1"


@kernel
def toro_may_not_stay_in_the_third_round(state, mask):
    toro_legal(state, mask)
    if state.round_number == 3 and mask.sum() > 2:
        mask[A_STAY] = 0


@kernel
def toro_pays_double(state, out):
    share_win(state, out)
    out[:] *= 2


CHANGED = {
    "kuhn, payoff": (GAME, {"payoff": pays_a_gift}),
    "kuhn, play": (GAME, {"play": plays_twice}),
    "kuhn, observe": (GAME, {"observe": observes_too_much}),
    "kuhn, version": (GAME, {"version": GAME.version + 1}),
    "toro, legal": (TORO, {"legal": toro_may_not_stay_in_the_third_round}),
    "toro, payoff": (TORO, {"payoff": toro_pays_double}),
}


@pytest.mark.parametrize(("game", "changes"), CHANGED.values(), ids=CHANGED)
def test_rules_hash_changes_with_a_rule(game, changes):
    assert rules_hash(dataclasses.replace(game, **changes)) != rules_hash(game)


def test_rules_hash_does_not_change_with_words():
    assert rules_hash(with_words(GAME, action_name=one_name)) == rules_hash(GAME)


def test_rules_hash_is_computed_once():
    game = dataclasses.replace(GAME)
    first = rules_hash(game)
    misses = rules_hash.cache_info().misses
    assert rules_hash(game) is first
    assert rules_hash.cache_info().misses == misses


@pytest.mark.parametrize("name", ["Liar's dice", "", "toro-v1", "1st"])
def test_the_name_of_a_game_is_an_identifier(name):
    with pytest.raises(ValueError, match=r"^name=.* is not allowed; it takes letters, digits and _"):
        dataclasses.replace(GAME, name=name)


@pytest.mark.skipif(PLAIN, reason="kernels are Python functions then")
@pytest.mark.parametrize("part", ["reset", "observe", "go_on"])
def test_a_python_function_is_no_kernel(part):
    with pytest.raises(ValueError, match=f"^kuhn: {part} is a Python function; decorate it"):
        dataclasses.replace(GAME, **{part: lambda *_: None})


def test_a_setup_field_with_one_value_says_so():
    seats = dataclasses.replace(GAME.options[0], choices=range(2, 3))
    with pytest.raises(ValueError, match=r"^seats=3 is not allowed; it takes 2$"):
        seats.encode(3)
