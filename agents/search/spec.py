"""Names of search agents: `search(strong)`, `search(trained, worlds=64, rollout=strong)`, `ismcts(simulations=1000)`.

The first part in brackets names the base agent, which may be a search agent; the rest are settings. The agent's own
name leaves out usual settings. It identifies the agent in results and on ladders.

The usual settings of each game, in `home/search.toml` of its package, are those with the largest gain among settings of
about 0.1 s of CPU a decision. The command above each one measured it. The gate by standard errors was as good as
`softmax(log prior + Q / tau)` or better in all games, as far as so few positions show, and deviates from the base less
often; so `tau` is 0.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import partial
from typing import Any

from sobremesa.agents.named import AgentName, Named, Search
from sobremesa.agents.search.improve import Budget, Improve, tells_policy
from sobremesa.agents.search.ismcts import Ismcts, TreeBudget
from sobremesa.agents.search.policies import is_fast
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import Agent, ProcessAgent, check_without_history, kernel_of, value_estimate_of
from sobremesa.envs.core.device.names import device_of
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.game import Game


def usual_budget(game: Game, rollout: Agent) -> Budget:
    """Return the usual budget in `game` for rollouts by `rollout`; without `plies` if it has no value estimate.

    Raises ValueError if the `home/search.toml` of the game is damaged.
    """
    kind, found = "exported" if kernel_of(rollout) is None else "scripted", home.table(game, "search.toml")
    if odd := sorted(set(found) - {"scripted", "exported"}):
        raise ValueError(f"home/search.toml of {game.name} has [{odd[0]}]; it takes [scripted] and [exported]")
    try:
        usual = Budget(**found.get(kind, {}))
    except (TypeError, ValueError) as error:
        raise ValueError(f"home/search.toml of {game.name}: {kind}: {error}") from None
    return replace(usual, plies=0) if value_estimate_of(rollout) is None else usual


_LONGEST = 200  # characters of a name that are shown where it is refused

Load = Callable[[Named, Game], Agent]


def load_search(search: Search, game: Game, load: Load) -> Improve | Ismcts:
    """Return the search agent `search`; `load` loads the agents inside.

    Raises ValueError for an unknown setting or a value out of range; the message has the allowed ones.
    """
    make = _improve if search.kind == "search" else _ismcts
    return make(search, game, load)


def _improve(search: Search, game: Game, load: Load) -> Improve:
    spec, settings = search.spec, dict(search.settings)
    if search.base is None:
        raise ValueError(f"{_shown(spec)}: an agent's name comes first, as in search(strong)")
    device = settings.pop("device", "cpu")
    if device != "cpu":
        try:
            device_of(device)  # before anything is loaded
        except (ValueError, RuntimeError) as error:
            raise ValueError(f"{_shown(spec)}: {error}") from None
    base, chosen = load(search.base, game), search.rollout
    rollout = _usual_rollout(game, base, load) if chosen is None else load(chosen, game)
    budget, said = _budget(spec, partial(replace, usual_budget(game, rollout)), settings, "rollout", "device")
    if "trust" in settings and (not budget.tau or tells_policy(base)):
        why = f"trust is not allowed; {base.name} has a policy of its own" if budget.tau else "trust needs tau=PAYOFF"
        raise ValueError(f"{_shown(spec)}: {why}")
    for agent in (base, rollout):
        if isinstance(agent, ProcessAgent):
            raise ValueError(f"{_shown(spec)}: {agent.name} is an external agent; a search takes others")
        check_without_history(agent, _shown(spec))
    if chosen is not None:
        said.append(f"rollout={rollout.name}")
    if device != "cpu":
        said.append(f"device={device}")
    try:
        return Improve(_called("search", base.name, said), game, base, rollout, budget, device)
    except (ValueError, RuntimeError) as error:
        raise ValueError(f"{_shown(spec)}: {error}") from None


def _ismcts(search: Search, game: Game, load: Load) -> Ismcts:
    spec, chosen = search.spec, search.rollout
    budget, said = _budget(spec, TreeBudget, search.settings, "rollout")
    base = load(search.base or AgentName("random"), game)
    rollout = _usual_rollout(game, base, load) if chosen is None else load(chosen, game)
    for agent in (base, rollout):
        check_without_history(agent, _shown(spec))
    if chosen is not None:
        said.append(f"rollout={rollout.name}")
    return Ismcts(_called("ismcts", search.base.spec if search.base else "", said), game, base, budget, rollout)


def _called(kind: str, base: str, said: list[str]) -> str:
    return f"{kind}({', '.join([base] * bool(base) + said)})"


def _budget(spec: str, kind: Callable[..., Any], settings: dict[str, str], *others: str) -> tuple[Any, list[str]]:
    """Return a budget of `kind` with `settings`, and the unusual ones as part of a name."""
    usual = kind()
    known = {field.name: type(getattr(usual, field.name)) for field in fields(usual)}
    if odd := sorted(set(settings) - set(known)):
        allowed = ", ".join([*known, *others])
        raise ValueError(f"{_shown(spec)}: {one_line(odd[0], 60)} is not known; it takes {allowed}")
    try:
        budget = kind(**{name: _number(name, text, known[name]) for name, text in settings.items()})
    except ValueError as error:
        raise ValueError(f"{_shown(spec)}: {error}") from None
    changed = [name for name in known if getattr(budget, name) != getattr(usual, name)]
    return budget, [f"{name}={getattr(budget, name):.12g}" for name in changed]


def _usual_rollout(game: Game, base: Agent, load: Load) -> Agent:
    """Return `base` if it is scripted or a fast bot; otherwise the best scripted agent.

    The search then measures the gain over `base` in rollouts by `base`.
    """
    return base if is_fast(base) else load(AgentName("strong"), game)


def _number(name: str, text: str, kind: type) -> float:
    try:
        return int(text) if kind is int else float(text)
    except ValueError:
        given = one_line(repr(text), 60)
        raise ValueError(f"{name}={given} is not allowed; it takes a {'whole ' * (kind is int)}number") from None


def _shown(spec: str) -> str:
    return one_line(spec, _LONGEST)
