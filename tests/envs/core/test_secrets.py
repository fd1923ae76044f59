"""No view depends on hidden information, and the secrets kit catches every kind of leak."""

import dataclasses

import kuhn
import numpy as np
import pytest
from gymnasium.spaces import Dict, Discrete
from rooms import ALL, BANDIDO, ENCIERRO, ERASE, ESTAFADO, KUHN, TORO, brief, with_defaults, with_words
from scale import PLAIN, scaled
from worlds import check_leak, numbers, samplers_of

from sobremesa.agents.builtin import RANDOM
from sobremesa.envs.core import news
from sobremesa.envs.core.api import encoders
from sobremesa.envs.core.api.aec import TableEnv
from sobremesa.envs.core.api.gym import SeatEnv
from sobremesa.envs.core.chance import KEY, start
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import random_deal
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.core.testing.secrets import SecretLeaked, check_secrets, redealt, views
from sobremesa.envs.ese_toro_enamorado.board import LILY, MAX_SEATS, NEW, NO_TILE, NUM_KINDS, NUM_NODES, NUM_PLACES
from sobremesa.envs.ese_toro_enamorado.knowledge import redeal
from sobremesa.envs.ese_toro_enamorado.observe import LAYOUT, observe

TALES = with_defaults(ERASE, max_sentences=20)
# Plies between those that are compared, fewer where pictures take long, and the least number of stories.
EVERY = [(BANDIDO, 29, 20), (ENCIERRO, 29, 5), (TALES, 499, 5), (brief(TORO), 29, 5), (ESTAFADO, 7, 30)]
every_game = pytest.mark.parametrize("game", [brief(game) for game in ALL], ids=lambda game: game.name)


@pytest.mark.parametrize(("game", "every", "stories"), EVERY, ids=[game.name for game, *_ in EVERY])
def test_every_view_and_story_keeps_its_secrets(game, every, stories):
    tally = check_secrets(game, deals=1, every=every, samplers=samplers_of(game))
    assert tally["views"] == len(views(game)) * tally["worlds"] > 200
    assert tally["stories"] > stories
    assert tally["differed"] > tally["worlds"] / 6


@every_game
def test_texts_and_stories_keep_their_secrets_at_many_plies(game):
    shown = {name: view for name, view in views(game).items() if name.startswith("text")}
    tally = check_secrets(game, deals=1, every=3 if game.name == ESTAFADO.name else 11, shown=shown)
    assert tally["stories"] > 0
    if game.name == ESTAFADO.name:
        assert tally["differed"] > 0.9 * tally["worlds"] > 100  # at dusk there are few worlds
    assert tally["differed"] > tally["worlds"] / 6


def without_dusk():
    """Return *Estafado* without its reading `dusk`, which may have only one world (O1)."""
    seats, reading, *others = ESTAFADO.options
    reading = dataclasses.replace(reading, choices=reading.choices[:2], later=0)
    return dataclasses.replace(ESTAFADO, options=(seats, reading, *others))


# Deals, plies between those that are compared, the least number of worlds and the share of them that differ: at the end
# of a deal of *Bandido Alcatraz* there may be nothing left to know.
DEALS = [
    (BANDIDO, scaled(2), 53 if PLAIN else 7, 20 if PLAIN else 200, 1 / 2),
    (ENCIERRO, scaled(3), 5, 200, 1 / 2),
    (TALES, 1, 53 if PLAIN else 23, 20 if PLAIN else 100, 1),
    (without_dusk(), scaled(4), 5, 200, 1),
    pytest.param(brief(TORO), scaled(3), 5, 200, 1 / 6, marks=pytest.mark.thorough),
]


@pytest.mark.parametrize(
    ("game", "deals", "every", "worlds", "share"),
    DEALS,
    ids=[BANDIDO.name, ENCIERRO.name, ERASE.name, ESTAFADO.name, TORO.name],
)
def test_observations_keep_their_secrets_in_two_kinds_of_worlds(game, deals, every, worlds, share):
    tally = check_secrets(game, deals, every=every, samplers=samplers_of(game), shown=numbers(game))
    assert tally["worlds"] > worlds
    assert tally["differed"] >= share * tally["worlds"]


@pytest.mark.kernels
def test_kuhn_keeps_its_secrets():
    tally = check_secrets(KUHN, deals=scaled(50), every=1)
    assert tally["differed"] > tally["worlds"] / 5


def test_progress_is_told_after_each_setup():
    told = []
    check_secrets(KUHN, deals=5, every=1, progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 1)]


# Views broken on purpose.

_KNOWN, _HANDS, _STAGE = (LAYOUT.start(name) for name in ("known_tiles", "hands", "stage"))


@kernel
def observes_tiles_face_down(state, seat, out):
    observe(state, seat, out)
    for node in range(NUM_NODES):
        if state.tile[node] != NO_TILE:
            out[_KNOWN + int(state.tile[node]) * NUM_NODES + node] = 1


@kernel
def observes_one_crossing_in_new_moon(state, seat, out):
    """Tell of the last crossing alone, and only in new moon."""
    observe(state, seat, out)
    node = NUM_NODES - 1
    if state.tile[node] != NO_TILE and state.phase == NEW:
        out[_KNOWN + int(state.tile[node]) * NUM_NODES + node] = 1


@kernel
def observes_another_hand(state, seat, out):
    observe(state, seat, out)
    out[_HANDS] = state.hand[(seat + 1) % int(state.seats), LILY]


@kernel
def observes_the_stream(state, seat, out):
    observe(state, seat, out)
    out[_STAGE] = (state.stream[KEY] & np.uint32(1)) == np.uint32(1)


@kernel
def observes_the_bag(state, seat, out):
    observe(state, seat, out)
    dealt = 0
    for place in range(NUM_PLACES):
        dealt += state.tile[place] == LILY
    for other in range(MAX_SEATS):
        dealt += state.hand[other, LILY]
    out[_STAGE] = dealt


@pytest.mark.parametrize(
    "broken",
    [
        observes_tiles_face_down,
        observes_one_crossing_in_new_moon,
        observes_another_hand,
        observes_the_stream,
        observes_the_bag,
    ],
    ids=lambda broken: broken.__name__,
)
@pytest.mark.parametrize("maker", ["redeal", "obvious"])
def test_an_observation_that_tells_is_caught(broken, maker):
    check_leak(brief(TORO), broken, maker, every=5)


def toro_tells(table, seat, language):
    """Return the text for `seat`, and in one line more what there is under one tile face down."""
    hidden = np.flatnonzero((table["tile"][0] != NO_TILE) & (table["face_up"][0] == 0))
    return TORO.words.describe(table, seat, language) + str(table["tile"][0][hidden[-1:]])


def toro_draws(table, seat, language):
    return TORO.words.scene(table, seat, language) + f"<!-- {table['hand'][0].tolist()} -->"


@pytest.mark.parametrize(
    ("changes", "name"),
    [({"describe": toro_tells}, r"text \(en\)"), ({"scene": toro_draws}, r"picture \(en\)")],
    ids=["describe", "scene"],
)
def test_a_text_and_a_picture_that_tell_are_caught(changes, name):
    with pytest.raises(SecretLeaked, match=f"the {name} differs in a state resampled by redeal"):
        check_secrets(with_words(brief(TORO), **changes), deals=1)


def test_the_encoder_does_not_leak_through_a_leaky_text():
    game = with_words(with_defaults(TORO, max_rounds=1), describe=toro_tells)
    shown = {"encoder text": views(game)["encoder text"]}
    assert check_secrets(game, deals=1, every=11, shown=shown)["differed"] > 0


def mask_of_whoever_acts(game, states, seat):
    mask = np.zeros(game.num_actions, np.int8)
    table_kernels(game).legal(states, mask)
    return mask.tobytes()


def test_an_info_with_the_mask_of_another_seat_is_caught():
    with pytest.raises(SecretLeaked, match="the info differs in a state resampled by"):
        check_secrets(brief(TORO), deals=1, shown={"info": mask_of_whoever_acts})


# Worlds broken on purpose.


@kernel
def redeals_nothing(state, seat, seed):
    start(state, seed)


@kernel
def toro_redeals_lilies(state, seat, seed):
    redeal(state, seat, seed)
    for other in range(state.seats):
        if other != seat:
            for kind in range(NUM_KINDS):
                state.hand[other, LILY] += state.hand[other, kind] if kind != LILY else 0
                state.hand[other, kind] = 0 if kind != LILY else state.hand[other, LILY]


@kernel
def toro_redeals_my_own_hand(state, seat, seed):
    redeal(state, (seat + 1) % int(state.seats), seed)


@kernel
def kuhn_redeals_a_card_twice(state, seat, seed):
    start(state, seed)
    state.deck[1 - seat] = state.deck[seat]


def counts_on(redeal):
    """Return a redeal that lets the count of plies choose the world: it keeps what it should not."""

    @kernel
    def redeals_by_the_count(state, seat, seed):
        count = int(state.ply)
        redeal(state, seat, seed + count)

    return redeals_by_the_count


def tells_on(redeal):
    """Return a redeal that lets the news since the last decision choose the world."""

    @kernel
    def redeals_by_the_news(state, seat, seed):
        redeal(state, seat, seed + int(state.news_count))

    return redeals_by_the_news


@every_game
def test_a_kept_counter_is_caught(game):
    plants = [counts_on] + [tells_on] * bool(news.fields_of(game.state))
    for plant in plants:
        planted = dataclasses.replace(game, redeal=plant(game.redeal))
        with pytest.raises(SecretLeaked, match="redeal keeps a value that differs in a state resampled by redeal"):
            check_secrets(planted, deals=1, every=1, shown={"mask": views(game)["mask"]})


def keeps_the_stream(redeal):
    """Return a redeal that leaves the random stream of the true state."""

    @kernel
    def redeals_without_start(state, seat, seed):
        stream = state.stream.copy()
        redeal(state, seat, seed)
        state.stream[:] = stream

    return redeals_without_start


@every_game
def test_the_field_that_redeal_keeps_is_named(game):
    planted = dataclasses.replace(game, redeal=keeps_the_stream(game.redeal))
    with pytest.raises(SecretLeaked, match=r": stream \(redeal must begin with start\(state, seed\)"):
        check_secrets(planted, deals=1, every=1, shown={"mask": views(game)["mask"]})


@every_game
def test_a_text_that_counts_plies_is_caught(game):
    def counts(table, seat, language):
        return f"{game.words.title[language]}, {table['ply'][0]}"

    planted = with_words(game, describe=counts)
    shown = {"text (en)": views(planted)["text (en)"]}
    with pytest.raises(SecretLeaked, match=r"the text \(en\) differs in a state resampled by redeal"):
        check_secrets(planted, deals=1, every=1, shown=shown)


def names_who_is_asked(redeal):
    """Return a redeal that leaves alone who is asked."""

    @kernel
    def redeals_but_for_the_question(state, seat, seed):
        asked = state.seat
        redeal(state, seat, seed)
        state.seat = asked

    return redeals_but_for_the_question


def test_a_resampled_state_that_reveals_a_hidden_turn_is_caught():
    planted = dataclasses.replace(ENCIERRO, redeal=names_who_is_asked(ENCIERRO.redeal), problems=lambda table: [])
    with pytest.raises(SecretLeaked, match="the resampled state of an unasked seat always names the seat to act"):
        check_secrets(planted, deals=1, every=40, shown={"mask": views(ENCIERRO)["mask"]})


@pytest.mark.parametrize("game", [game for game in ALL if "turns" in game.hidden], ids=lambda game: game.name)
def test_no_encoder_is_told_who_is_asked_where_turns_are_hidden(game, monkeypatch):
    monkeypatch.setattr(encoders, "_ENCODERS", dict(encoders._ENCODERS))
    space = Dict({"seat": Discrete(game.max_seats + 1)})
    own = encoders.Encoder("whoever acts", lambda _: space, lambda view, _: {"seat": int(view.state["seat"][0])})
    encoders.register_encoder(own)
    named = asked = 0
    for states in plies_of_some_deals(brief(game), 4, 9):
        env = TableEnv(game, encoder=own.name, **game.setup(states))
        env.reset(seed=0)
        env._states[:] = states
        env.agent_selection = env.possible_agents[int(states["seat"][0])]
        for seat, agent in enumerate(env.possible_agents):
            if not states["over"][0] and seat != states["seat"][0] and len(env.possible_agents) > 2:
                asked += 1
                named += env.observe(agent)["observation"]["seat"] == states["seat"][0]
    assert named < asked  # whose turn it is all see, and it may be that one


def test_a_redealt_world_counts_no_plies_and_holds_no_news():
    for states in plies_of_some_deals(brief(TORO), 2, 5):
        world = redealt(TORO)(states, 0, 1)
        assert (world["ply"][0], world["news_count"][0], world["news"].any()) == (0, 0, False)


@every_game
def test_a_sampler_or_redeal_that_changes_nothing_is_caught(game):
    every, shown = 1 if game.name == KUHN.name else 29, numbers(game)
    keeping = {"nothing": lambda states, seat, seed: states.copy()}
    with pytest.raises(SecretLeaked, match="no resampled state differed"):
        check_secrets(game, deals=1, every=every, samplers=keeping, shown=shown)
    game = dataclasses.replace(game, redeal=redeals_nothing)
    kept = "redeal keeps a value that differs in a state resampled by obvious"
    why = kept if len(samplers_of(game)) > 1 else "no resampled state differed"
    with pytest.raises(SecretLeaked, match=why):
        check_secrets(game, deals=1, every=every, samplers=samplers_of(game), shown=shown)


def test_a_game_without_secrets_may_redeal_nothing():
    open_kuhn = dataclasses.replace(KUHN, redeal=redeals_nothing, hidden=())
    assert check_secrets(open_kuhn, deals=5, every=1)["differed"] == 0


def test_a_redeal_that_makes_impossible_worlds_is_caught():
    with pytest.raises(SecretLeaked, match="redeal made an invalid state: cards"):
        check_secrets(dataclasses.replace(KUHN, redeal=kuhn_redeals_a_card_twice), deals=5, every=1)
    with pytest.raises(SecretLeaked, match="redeal made an invalid state: a tile is missing, or there twice"):
        check_secrets(dataclasses.replace(brief(TORO), redeal=toro_redeals_lilies), deals=1)


def test_a_redeal_of_what_the_seat_knows_is_caught():
    game = dataclasses.replace(brief(TORO), redeal=toro_redeals_my_own_hand)
    with pytest.raises(SecretLeaked, match="the observation differs in a state resampled by redeal"):
        check_secrets(game, deals=1)


def test_a_kuhn_that_shows_the_other_card_is_caught():
    def tells(table, seat, language):
        return KUHN.words.describe(table, None, language)

    with pytest.raises(SecretLeaked, match=r"the text \(en\) differs"):
        check_secrets(with_words(KUHN, describe=tells), deals=5, every=1)


def test_a_story_that_tells_of_other_hands_is_caught():
    def tells(before, action, after, seat, language):
        return [*TORO.words.tell(before, action, after, seat, language), str(after["hand"][0].tolist())]

    shown = {"mask": views(TORO)["mask"]}
    assert check_secrets(brief(TORO), deals=1, every=5, shown=shown)["stories"] > 0
    with pytest.raises(SecretLeaked, match="the events differ in states resampled by redeal"):
        check_secrets(with_words(brief(TORO), tell=tells), deals=1, every=5, shown=shown)


# The environments.


def plies_of_some_deals(game, deals, every):
    """Yield states along random deals, each a copy."""
    for seed in range(deals):
        for states, *_ in random_deal(game, seed, {"seats": game.seat_range[seed % len(game.seat_range)]}):
            if states["ply"][0] % every == seed % every:
                yield states.copy()


def table_env(game, states, render_mode):
    """Return an AEC environment in which the deal of `states` is in play."""
    env = TableEnv(game, render_mode=render_mode, **game.setup(states))
    env.reset(seed=0)
    env._states[:] = states
    seat = int(states["seat"][0])
    env._mask[:], env.agent_selection = 0, None
    env.infos = {agent: {"action_mask": env._mask.copy()} for agent in env.agents}
    if seat < len(env.possible_agents):  # in a world of a seat that is not asked nobody may be, or one without a choice
        env.agent_selection = env.possible_agents[seat]
        kernels = table_kernels(game)
        kernels.observe(env._states, seat, env._observation)
        kernels.legal(env._states, env._mask)
        env.infos[env.agent_selection] = {"action_mask": env._mask.copy()}
    return env


def all_that_is_seen(game, states):
    return table_env(game, states, None).state().tobytes()


def seen_at_the_table(game, states, seat):
    """Return all that the AEC environment gives the agent at `seat`."""
    seen = []
    for mode in ("ansi", "svg"):
        env = table_env(game, states, mode)
        env.viewer = seat
        seen.append(env.render())
    agent = env.possible_agents[seat]
    observation = env.observe(agent)
    seen += [observation["observation"].tobytes(), observation["action_mask"].tobytes()]
    seen += [env.infos[agent]["action_mask"].tobytes(), list(env.infos[agent])]
    seen += [env.rewards[agent], env.terminations[agent], env.truncations[agent]]
    return seen


@every_game
def test_aec_views_are_the_same_in_every_world(game):
    differed = 0
    deals, every = (20, 2) if game.max_plies < 20 else (4, 29)
    for number, states in enumerate(plies_of_some_deals(game, deals, every)):
        if states["over"][0]:
            continue
        for seat in range(int(states["seats"][0])):
            seen = seen_at_the_table(game, states, seat)
            assert seen[3] == seen[4]
            assert any(seen[3]) == (seat == states["seat"][0])
            for sample in samplers_of(game).values():
                world = sample(states, seat, number)
                differed += all_that_is_seen(game, world) != all_that_is_seen(game, states)
                assert seen_at_the_table(game, world, seat) == seen
    assert differed > 5 or not game.hidden


@pytest.mark.parametrize("encoder", ["flat", "blocks", "text"])
@every_game
def test_single_seat_views_are_the_same_in_every_world(game, encoder):
    differed = 0
    rng = np.random.default_rng(0)
    for seed in range(4):
        env = SeatEnv(game, [RANDOM], render_mode=("ansi", "svg")[seed % 2], encoder=encoder)
        _, info = env.reset(seed=seed)
        over = False
        while not over:
            states = env._match.states.copy()
            seen = seen_from_a_seat(env)
            assert seen[2] == info["action_mask"].tobytes()
            env._match.states[:] = redealt(game)(states, env.my_seat, seed)
            differed += (env._match.states["stream"] != states["stream"]).any() and any(
                (env._match.states[name] != states[name]).any() for name in states.dtype.names if name != "stream"
            )
            assert seen_from_a_seat(env) == seen
            env._match.states[:] = states
            _, _, over, _, info = env.step(int(rng.choice(np.flatnonzero(env.action_masks()))))
    assert differed >= 2 or not game.hidden


def seen_from_a_seat(env):
    """Return all that the single-seat environment gives its agent for the state that it holds now."""
    env._match._play_on(np.zeros(1, np.int64))  # writes observation and mask anew
    observation = env._seen()
    if isinstance(observation, dict):
        observation = {name: block.tobytes() for name, block in observation.items()}
    elif isinstance(observation, np.ndarray):
        observation = observation.tobytes()
    return env.render(), observation, env.action_masks().astype(np.int8).tobytes()


def test_kuhn_is_dealt_anew_from_both_unseen_cards():
    states = next(random_deal(KUHN, 0))[0]
    mine, seen = int(states["deck"][0][0]), set()
    for seed in range(40):
        world = redealt(KUHN)(states, 0, seed)
        assert int(world["deck"][0][0]) == mine
        seen.add(int(world["deck"][0][1]))
    assert seen == set(range(kuhn.NUM_CARDS)) - {mine}
