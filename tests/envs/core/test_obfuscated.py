"""Obfuscated readings: other numbers and other names for the same deals."""

import pickle
import re
from itertools import islice, pairwise

import gymnasium
import kuhn
import numpy as np
import pytest
from endpoint import serving
from rooms import ALL, BANDIDO, ENCIERRO, ERASE, ESTAFADO, KUHN, TORO

from sobremesa import agents, envs
from sobremesa.agents.arena.play import play
from sobremesa.agents.language.parser import parse_answer
from sobremesa.agents.language.prompt import Style, end_prompt, rules_prompt, turn_prompt
from sobremesa.envs.core.agent import History, make_view, new_stream
from sobremesa.envs.core.api.obfuscated import obfuscated
from sobremesa.envs.core.api.renaming import stems_of
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.envs.core.testing.check import rules_hash
from sobremesa.envs.core.testing.secrets import check_secrets, views
from sobremesa.envs.corre_el_encierro import cards as encierro
from sobremesa.envs.erase_una_vez.tables import THINGS
from sobremesa.envs.erase_una_vez.text.words import name_of
from sobremesa.envs.ese_toro_enamorado.board import TILE_NAMES
from sobremesa.envs.estafado.text.cards import card_names
from sobremesa.envs.testing import check_game

SEED = 5
every_game = pytest.mark.parametrize("base", ALL, ids=lambda game: game.name)
every_language = pytest.mark.parametrize("language", LANGUAGES)
SETUPS = {TORO.name: {"max_rounds": 6, "rosemary": "anywhere"}, ERASE.name: {"max_sentences": 30}}


def reading(game, seed=SEED):
    return envs.load(f"{game.name}_obfuscated_{seed}") if game is not kuhn.GAME else obfuscated(game, seed)


def names_in(game, language):
    """Return names of cards, places and roles of a game, from tables that the renaming does not read where possible."""
    english = language == "en"
    if game is ESTAFADO:
        return [*card_names(language), *game.roles[language], "Eagle" if english else "Águila", "Bear", "Oso", "Vixen"]
    if game is TORO:
        places = ("mountain", "crossing", "shore", "moon") if english else ("monte", "cruce", "orilla", "luna")
        return [*TILE_NAMES[language], *places, "W0", "M1", "O2", "I3", "S4", "bull", "toro"]
    if game is ENCIERRO:
        cards = [card.english if english else card.name for card in encierro.CARDS]
        return [*cards, *(encierro.ENGLISH_OBJECTS if english else encierro.OBJECT_NAMES), *encierro.LOCATION_NAMES[1:]]
    if game is BANDIDO:
        things = ["raincoat", "rope", "tunnel"] if english else ["impermeable", "cuerda", "túnel", "túneles"]
        return ["Bandido", "Alcatraz", "EXIT", "▲", "§", "≈", *things]
    if game is ERASE:
        return [name_of(thing, language) for thing in range(len(THINGS))]
    return []


def texts_of(game, language, seed=3, most=80):
    """Yield the prompts of a whole deal, and reasons for moves that are illegal."""
    style = Style(language, history=True)
    plies = list(islice(random_deal(game.reading.base, seed, SETUPS.get(game.reading.base.name)), most))
    here = game.reading.here
    history = History(game, plies[0].seat, language)
    for ply, after in pairwise(plies):
        history.add(ply.states, int(here[ply.action]), after.states)
    for ply in plies[:-1]:
        view = make_view(game, ply.states, ply.seat, new_stream(1), history)
        yield turn_prompt(view, Style(language))
        for wrong in np.flatnonzero(view.mask == 0)[:1]:
            yield game.words.why(ply.states, int(wrong), language)
    yield rules_prompt(view, style)
    yield turn_prompt(view, style)
    yield end_prompt(view, plies[-1].states, 0.0, style)
    yield from (text for one in (game.words.setup or {language: {}})[language].values() for text in one.values())


@every_game
@every_language
def test_no_text_has_a_canonical_name(base, language):
    game = reading(base) if base is not KUHN else obfuscated(base, SEED)
    names = names_in(base, language)
    found = "\n".join(texts_of(game, language))
    shown = f"{base.words.help(language)} {base.words.title[language]}"
    assert not names or any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", shown) for name in names)
    joined = re.sub(r"\s+", " ", found)
    kept = [name for name in names if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", joined, re.IGNORECASE)]
    assert kept == []
    assert stems_of(found) - stems_of("".join(base.words.help(language)))


def test_tales_have_no_nouns_of_canonical_names():
    there = reading(ERASE).reading.renaming.there
    nouns = ("blindness", "happiness", "ugliness", "wickedness", "glass", "chess")
    assert [noun for noun in nouns if there(noun, "en") == noun] == []


@every_game
def test_an_action_is_typed_and_answered_by_its_new_name_alone(base):
    game = obfuscated(base, SEED)
    for language in LANGUAGES:
        names = [game.words.action_name(action, language) for action in range(game.num_actions)]
        assert len(set(names)) == game.num_actions
        assert [game.words.parse_action(name, language) for name in names] == list(range(game.num_actions))
        mask = np.ones(game.num_actions, np.int8)
        read = [parse_answer(f"ACTION: {name}", game, mask, language).action for name in names]
        assert read == list(range(game.num_actions))
        for action in range(game.num_actions):
            old = base.words.action_name(action, language)
            if old not in names:
                with pytest.raises(ValueError, match=r".") as refused:
                    game.words.parse_action(old, language)
                assert all(name not in str(refused.value) for name in names_in(base, language) if name not in old)


@every_game
def test_kernels_permute_actions_and_numbers(base):
    game = obfuscated(base, SEED)
    there, here = game.reading, game.reading.here
    assert sorted(there.actions) == list(range(base.num_actions))
    assert sorted(there.numbers) == list(range(base.layout.size))
    assert (there.actions != np.arange(base.num_actions)).any()
    codes, mask = np.zeros(game.layout.width, np.uint8), np.zeros(game.num_actions, np.int8)
    for ply in islice(random_deal(base, 2, SETUPS.get(base.name)), 0, 120, 7):
        if ply.seat < 0:
            break
        mask[:] = 0
        game.legal(ply.states[0], mask)
        assert (mask == ply.mask[there.actions]).all()
        game.observe(ply.states[0], ply.seat, codes)
        assert (game.layout.decode(codes) == ply.observation[there.numbers]).all()
        one, other = ply.states.copy(), ply.states.copy()
        base.play(one[0], ply.action)
        game.play(other[0], int(here[ply.action]))
        assert one.tobytes() == other.tobytes()
        if base.fair_votes is not None:
            vote = base.fair_vote(ply.observation, ply.mask)
            fair = game.fair_vote(ply.observation[there.numbers], ply.mask[there.actions])
            assert fair == (None if vote is None else here[vote])
        for turned, same in zip(game.symmetries, base.symmetries, strict=True):
            moved = ply.observation[same.seen][there.numbers]
            assert (ply.observation[there.numbers][turned.seen] == moved).all()
            assert turned.actions[here[ply.action]] == here[same.actions[ply.action]]


@pytest.mark.parametrize("name", ["random", "strong", "trained", "sampled(trained)"])
def test_an_agent_with_the_mapping_plays_the_same_deals(name):
    game = reading(ESTAFADO)
    other = "strong" if name == "random" else "random"
    rows = [play(one, [agents.load(name, one), agents.load(other, one)], 12, seed=1) for one in (ESTAFADO, game)]
    assert rows[0].payoffs.any()
    assert (rows[0].payoffs == rows[1].payoffs).all()
    assert (rows[0].plies == rows[1].plies).all()


def test_a_search_with_the_mapping_plays_the_same_deals():
    game = reading(ESTAFADO)
    spec = "search(strong, worlds=2, actions=2)"
    ply = next(random_deal(ESTAFADO, 4))
    guessed = [make_view(one, ply.states, ply.seat, new_stream(1)).state for one in (ESTAFADO, game)]
    assert guessed[0].tobytes() == guessed[1].tobytes()
    seated = [[agents.load(spec, one), agents.load("strong", one)] for one in (ESTAFADO, game)]
    rows = [play(one, both, 1, seed=4) for one, both in zip((ESTAFADO, game), seated, strict=True)]
    assert (rows[0].payoffs == rows[1].payoffs).all()
    assert (rows[0].plies == rows[1].plies).all()


def test_environments_of_a_reading_play_the_deals_of_the_game():
    game = reading(ESTAFADO)
    there = game.reading
    table, same = envs.make(game.name), envs.make(ESTAFADO.name)
    tables, vector = (envs.make_vec(one.name, 3, seed=8) for one in (game, ESTAFADO))
    table.reset(seed=1)
    same.reset(seed=1)
    for _ in range(60):
        (seen, *_), (real, *_) = table.last(), same.last()
        assert (seen["observation"] == real["observation"][there.numbers]).all()
        action = int(np.flatnonzero(seen["action_mask"])[0])
        table.step(action)
        same.step(int(there.actions[action]))
        actions = np.array([np.flatnonzero(mask)[-1] for mask in tables._out.masks])
        one, other = tables.step(actions), vector.step(there.actions[actions])
        assert (one.observations == other.observations[:, there.numbers]).all()
        assert (one.payoffs == other.payoffs).all()
        if all(table.terminations.values()):
            break


def test_a_stub_model_plays_a_reading_to_the_end(monkeypatch):
    monkeypatch.setenv("SOBREMESA_LLM_KEY", "x")
    with serving() as server:
        game = reading(ESTAFADO)
        rows = play(game, [agents.load(server.spec(), game), agents.load("random", game)], 1, seed=2, reading="dusk")
        said = str(server.bodies)
    assert rows.plies.all()
    assert not rows.forfeited()
    assert "Fox" not in said
    assert game.words.action_name(0, "en").split()[0] in said


@pytest.mark.parametrize("base", [KUHN, ESTAFADO], ids=lambda game: game.name)
def test_the_secrets_kit_runs_on_a_reading(base):
    game = obfuscated(base, SEED) if base is KUHN else reading(base)
    tally = check_secrets(game, deals=1, every=29)
    assert tally["views"] == len(views(game)) * tally["worlds"] > 20


def test_every_check_runs_on_a_reading_of_a_game_of_ones_own():
    assert check_game(obfuscated(kuhn.GAME, SEED), deals=2)


def test_the_seed_is_in_the_name_and_decides_all():
    one, other = reading(ESTAFADO), reading(ESTAFADO, 6)
    assert one.id == f"estafado_obfuscated_{SEED}-v1"
    assert one is envs.load(one.id) is pickle.loads(pickle.dumps(one))
    again = obfuscated(ESTAFADO, SEED)
    assert (again.reading.actions == one.reading.actions).all()
    assert again.words.help("en") == one.words.help("en") != other.words.help("en")
    assert (other.reading.actions != one.reading.actions).any()
    assert rules_hash(one) != rules_hash(ESTAFADO)
    assert envs.is_game(one.name)
    assert gymnasium.make(f"sobremesa/{one.id}").unwrapped.game is one
    assert agents.names(one) == agents.names(ESTAFADO)
    with pytest.raises(ValueError, match="estafado"):
        agents.load(agents.bot_folders(ESTAFADO)["trained"], one)


@pytest.mark.parametrize("name", ["nim_obfuscated_1", "estafado_obfuscated_01", "estafado_obfuscated_1_obfuscated_2"])
def test_other_names_are_no_games(name):
    assert not envs.is_game(name)
    with pytest.raises(ValueError, match=f"no game '{name}'"):
        envs.load(name)
