"""The secrets kit: no view of a seat may depend on hidden information.

The kit resamples everything that a seat cannot know and compares every view of the seat byte by byte. It also compares
the states that `redeal` makes of the true state and of a resampled one. Resampled states come from the game's `redeal`
and from samplers that you give; the best one is slow, simple, and written without a look at `redeal`. The number of
plies and the news are always changed, since they depend on decisions of others. `Game.reshuffle` must not change what
`redeal` makes for any seat. `check_secrets` also counts how many states really differed, and the tests run it on views
that are broken on purpose.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from sobremesa.envs.core import news
from sobremesa.envs.core.agent import Agent, SearchAgent, forget_deals, make_view, new_stream
from sobremesa.envs.core.api.encoders import encoders, load_encoder
from sobremesa.envs.core.deal import Ply, outcome, random_deal
from sobremesa.envs.core.game import LANGUAGES, PUBLIC, Game
from sobremesa.envs.core.table import OVER, reshuffled, state_problems, table_kernels
from sobremesa.envs.core.testing.check import setups
from sobremesa.envs.core.wording import picture_of

Sampler = Callable[[np.ndarray, int, int], np.ndarray]  # (state (1,), seat, seed) -> another world (1,)
ViewOf = Callable[[Game, np.ndarray, int], Any]  # (game, state (1,), seat) -> something with a stable repr or bytes


class SecretLeaked(AssertionError):
    """A view depends on hidden information; the message names the view, setup, seed, ply and seat."""


def redealt(game: Game) -> Sampler:
    """Return the game's own `redeal` as a sampler."""
    kernels = table_kernels(game)

    def sample(states: np.ndarray, seat: int, seed: int) -> np.ndarray:
        world = states.copy()
        kernels.redeal(world, seat, seed)
        return world

    return sample


def views(game: Game) -> dict[str, ViewOf]:
    """Return every view of a seat by name: observation, mask, texts, pictures, encoders.

    `check_secrets` compares the stories (`Game.words.tell`) separately, since they need two states.
    """
    kernels = table_kernels(game)

    def observation(game: Game, states: np.ndarray, seat: int) -> bytes:
        out = np.zeros(game.layout.size, np.float32)
        kernels.observe(states, seat, out)
        return out.tobytes()

    def mask(game: Game, states: np.ndarray, seat: int) -> bytes:
        out = np.zeros(game.num_actions, np.int8)
        if states["seat"][0] == seat:
            kernels.legal(states, out)
        return out.tobytes()

    all_views: dict[str, ViewOf] = {"observation": observation, "mask": mask}
    for language in LANGUAGES:
        all_views[f"text ({language})"] = partial(_text, language)
        all_views[f"picture ({language})"] = partial(_picture, language)
        all_views[f"narrow picture ({language})"] = partial(_narrow_picture, language)
        if game.words.public:
            all_views[f"public text ({language})"] = partial(_public, _text, language)
            all_views[f"public picture ({language})"] = partial(_public, _picture, language)
            all_views[f"public narrow picture ({language})"] = partial(_public, _narrow_picture, language)
    for name in encoders():
        all_views[f"encoder {name}"] = partial(_encoded, name)
    return all_views


def answer_of(agent: Agent) -> ViewOf:
    """Return a view: the action of `agent` where a seat is asked, or its estimates (`think`) if it has that method.

    Each answer starts as in a new deal, so earlier decisions do not matter.
    """

    def answer(game: Game, states: np.ndarray, seat: int) -> str:
        if states["over"][0] or states["seat"][0] != seat:
            return ""
        stream = new_stream(0)
        forget_deals([agent], [0])
        view = make_view(game, states, seat, stream)
        found = agent.think(view) if isinstance(agent, SearchAgent) else agent.act(view)
        return f"{found} {stream.tobytes()!r}"

    return answer


def check_secrets(
    game: Game,
    deals: int = 3,
    seed: int = 0,
    every: int = 7,
    samplers: Mapping[str, Sampler] | None = None,
    shown: Mapping[str, ViewOf] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, int]:
    """Compare the views of every seat in random deals with those in resampled states.

    Args:
        game: the game.
        deals: random deals in each of `setups(game)`.
        seed: of the deals and the resampling.
        every: compare at every so many plies.
        samplers: samplers by name; None takes the game's own `redeal`.
        shown: views by name; None takes `views(game)`.
        progress: called with (setups done, setups in all).

    Returns:
        The numbers of deals, resampled states ("worlds"), views and stories compared; of states that differed from the
        true one in more than the random stream, the plies and the news; and, with hidden turns, of states for seats
        that were not asked ("unasked") and of those that name the seat to act ("named").

    Raises:
        SecretLeaked: a view changed; or no state ever differed though the game has secrets; or with hidden turns every
            state of an unasked seat names the seat to act.
    """
    samplers = samplers or {"redeal": redealt(game)}
    shown = shown or views(game)
    tally = {"deals": 0, "worlds": 0, "views": 0, "stories": 0, "differed": 0, "unasked": 0, "named": 0}
    tried = setups(game)
    for number, setup in enumerate(tried):
        for deal in range(deals):
            for ply in random_deal(game, seed + deal, setup):
                if ply.states["ply"][0] % every == deal % every or ply.action == OVER:
                    where = f"setup {setup}, seed {seed + deal}"
                    _compare(game, ply, samplers, shown, tally, where)
                    _compare_reshuffled(game, ply.states, where)
            tally["deals"] += 1
        if progress is not None:
            progress(number + 1, len(tried))
    if game.hidden and tally["differed"] == 0:
        raise SecretLeaked(f"{game.id}: no resampled state differed from the true one, so this checks too little")
    if 0 < tally["unasked"] == tally["named"]:
        raise SecretLeaked(f"{game.id}: the resampled state of an unasked seat always names the seat to act")
    return tally


def _compare(
    game: Game,
    ply: Ply,
    samplers: Mapping[str, Sampler],
    shown: Mapping[str, ViewOf],
    tally: dict[str, int],
    where: str,
) -> None:
    states, number = ply.states, int(ply.states["ply"][0])
    after = states if ply.action == OVER else outcome(game, ply)
    redeal = redealt(game)
    for seat in range(int(states["seats"][0])):
        seen = {name: view(game, states, seat) for name, view in shown.items()}
        for maker, sample in samplers.items():
            world = _recounted(game, sample(states, seat, number + 1), number)
            here = f"{game.id}, {where}, ply {number}, seat {seat}"
            # With hidden turns it is also hidden whether the seat to act has a choice.
            problems = game.problems(world) if is_hidden_turn(game, states, seat) else state_problems(game, world)
            if problems:
                raise SecretLeaked(f"{here}: {maker} made an invalid state: {'; '.join(problems)}")
            tally["worlds"] += 1
            tally["differed"] += _hidden_part(game, world) != _hidden_part(game, states)
            guess = redeal(states, seat, number)
            if kept := _differing(guess, redeal(world, seat, number)):
                raise SecretLeaked(f"{here}: redeal keeps a value that differs in a state resampled by {maker}: {kept}")
            if is_hidden_turn(game, states, seat) and states["seats"][0] > 2:
                tally["unasked"] += 1
                tally["named"] += int(guess["seat"][0] == states["seat"][0])
            for name, view in shown.items():
                tally["views"] += 1
                if view(game, world, seat) != seen[name]:
                    raise SecretLeaked(
                        f"{here}: the {name} differs in a state resampled by {maker}: it shows hidden information, or "
                        f"{maker} changes a value that the seat knows"
                    )
            if ply.action != OVER:
                tally["stories"] += 1
                other_after = sample(after, seat, number + 1)
                for field in news.fields_of(game.state):
                    other_after[field] = after[field]
                if _story(game, world, ply.action, other_after, seat) != _story(game, states, ply.action, after, seat):
                    raise SecretLeaked(f"{here}: the events differ in states resampled by {maker}")


def _compare_reshuffled(game: Game, states: np.ndarray, where: str) -> None:
    """Raise SecretLeaked if `reshuffle` changes what `redeal` makes for any seat."""
    number = int(states["ply"][0])
    redeal, anew = redealt(game), reshuffled(game, states, np.array([number + 1]))
    if problems := state_problems(game, anew):
        raise SecretLeaked(f"{game.id}, {where}, ply {number}: reshuffle made an invalid state: {problems}")
    for seat in range(int(states["seats"][0])):
        if changed := _differing(redeal(anew, seat, number), redeal(states, seat, number)):
            here = f"{game.id}, {where}, ply {number}"
            raise SecretLeaked(f"{here}: reshuffle changed what seat {seat} knows: {changed}")


def _differing(one: np.ndarray, other: np.ndarray) -> str:
    """Return the names of the fields that differ between two `(1,)` states, with advice; "" if there are none."""
    names = [name for name in one.dtype.names or () if one[name].tobytes() != other[name].tobytes()]
    if "stream" in names:
        return f"{', '.join(names)} (redeal must begin with start(state, seed), which sets the random stream anew)"
    return ", ".join(names)


def _story(game: Game, before: np.ndarray, action: int, after: np.ndarray, seat: int) -> list[list[str]]:
    return [game.words.tell(before, action, after, seat, language) for language in LANGUAGES]


def is_hidden_turn(game: Game, states: np.ndarray, seat: int) -> bool:
    """Return whether another seat than `seat` is to act in the `(1,)` state, and `seat` must not know which."""
    return "turns" in game.hidden and not states["over"][0] and bool(states["seat"][0] != seat)


def _recounted(game: Game, world: np.ndarray, number: int) -> np.ndarray:
    """Return `world`, a sample of ply `number`, with another number of plies and without news."""
    world["ply"] = number + 1 if number < game.max_plies else number - 1
    for field in news.fields_of(game.state):
        world[field] = 0
    return world


def _hidden_part(game: Game, states: np.ndarray) -> bytes:
    still = _recounted(game, states.copy(), 0)
    still["stream"] = 0
    return still.tobytes()


def _text(language: str, game: Game, states: np.ndarray, seat: int) -> str:
    return game.words.describe(states, seat, language)


def _picture(language: str, game: Game, states: np.ndarray, seat: int) -> str:
    return game.words.scene(states, seat, language)


def _narrow_picture(language: str, game: Game, states: np.ndarray, seat: int) -> str:
    return picture_of(game.words, narrow=True)(states, seat, language)


def _public(view: Callable[..., str], language: str, game: Game, states: np.ndarray, _: int) -> str:
    """Return the public view, which must be the same in every state that a seat considers possible."""
    return view(language, game, states, PUBLIC)


def _encoded(name: str, game: Game, states: np.ndarray, seat: int) -> str:
    view = make_view(game, states, seat, new_stream(0))
    value = load_encoder(name).encode(view, "en")
    if isinstance(value, np.ndarray):
        return repr(value.tobytes())
    return repr({key: block.tobytes() for key, block in value.items()}) if isinstance(value, dict) else str(value)
