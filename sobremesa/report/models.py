"""Language models in results: strength next to legality, tokens and cost."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from sobremesa.agents.arena.ratings import Rating
from sobremesa.agents.arena.results import Results
from sobremesa.agents.arena.score import estimate, for_json, nature
from sobremesa.agents.language.model import LanguageModel
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game
from sobremesa.report.ladder_words import interval
from sobremesa.report.tables import folded, short

Rate = Callable[[list[Results]], Sequence[Rating]]


def models_of(agents: Iterable[Agent]) -> dict[str, LanguageModel]:
    """Return the language models among `agents` by name."""
    return {agent.name: agent for agent in agents if isinstance(agent, LanguageModel)}


def found(
    game: Game, matches: Sequence[Results], models: Mapping[str, LanguageModel], rate: Rate | None = None,
    apart: bool = False,
) -> list[dict[str, Any]]:  # fmt: skip
    """Return for each of `models`, by name, its episodes, forfeits, strength, tokens and cost in `matches`.

    An episode is a row with the model. Strength is over all episodes and over those without a forfeit of any agent;
    `rate` returns the ratings of matches. With `apart` there is one entry for each match.
    """
    entries = []
    for name, model in models.items():
        met = [match for match in matches if name in match.agents]
        for some in [[match] for match in met] if apart else [met] if met else []:
            one = _entry(game, some, name, model)
            if apart:
                one["against"] = [other for other in some[0].agents if other != name]
            entries.append(one)
    if rate is not None and models:
        for ratings, kept in ((rate(list(matches)), "all"), (_rated(rate, list(map(Results.legal, matches))), "legal")):
            for one in entries:
                called = nature(game).called(one["agent"])
                known = one["strength"][kept] is not None
                mine = sorted(
                    (each for each in ratings if each.agent in called), key=lambda each: called.index(each.agent)
                )
                one["ratings"][kept] = [each._asdict() for each in mine if known]
    cleaned: list[dict[str, Any]] = for_json(entries)
    return cleaned


def _rated(rate: Rate, matches: list[Results]) -> Sequence[Rating]:
    """Return the ratings of the rows that are left; none without the agent that the others are rated from."""
    try:
        return rate([match for match in matches if len(match.seeds)])
    except ValueError:  # all rows were rated before, so only an anchor or all rows can be missing
        return []


def _entry(game: Game, matches: Sequence[Results], name: str, model: LanguageModel) -> dict[str, Any]:
    episodes, tokens, kinds = 0, np.zeros(2, np.int64), Counter[str]()
    for match in matches:
        mine = match.seating == match.agents.index(name)
        episodes += int(mine.any(1).sum())
        tokens += 0 if match.tokens is None else match.tokens[mine].sum(0)
        kinds.update(why.partition(":")[0] for agent, why in match.lost() if agent == name)
    cost = model.cost(*tokens.tolist())
    return {
        "agent": name,
        "seats": sorted({match.seating.shape[1] for match in matches}),
        "episodes": episodes,
        "forfeited": kinds.total() / episodes,
        "forfeits": {kind: number / episodes for kind, number in kinds.most_common()},
        "strength": {
            "all": _strength(game, matches, name),
            "legal": _strength(game, list(map(Results.legal, matches)), name),
        },
        "ratings": {},
        "tokens": {"prompt": tokens[0] / episodes, "completion": tokens[1] / episodes},
        "cost": None if cost is None else cost / episodes,
        "total_cost": cost,
    }


def _strength(game: Game, matches: Sequence[Results], name: str) -> dict[str, float] | None:
    """Return the mean share of the win, or success, with its interval over deals; None without a row."""
    worth: dict[int, list[float]] = {}
    for match in matches:
        mine, values = match.seating == match.agents.index(name), nature(game).worth(match.payoffs)
        for row in np.flatnonzero(mine.any(1)):
            worth.setdefault(int(match.seeds[row]), []).append(float(values[row, mine[row]].mean()))
    if not worth:
        return None
    mean = estimate(np.array([np.mean(values) for values in worth.values()]))
    return mean._asdict()


def lines_of(game: Game, entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return the lines to print for `entries`, those of `found`; an empty list without any."""
    if not entries:
        return []
    value, without = f"mean {nature(game).value}", "without forfeits"
    rating = "fitted rating"
    head = ["language model", "episodes", "forfeited", value, f"{value} {without}", rating, f"{rating} {without}",
            "prompt tokens", "answer tokens", "cost", "total cost"]  # fmt: skip
    columns = [column for column in zip(head, *map(_cells, entries), strict=True) if any(column[1:])]
    lines = ["", "Language models; tokens and cost are means of an episode:", *folded(list(zip(*columns, strict=True)))]
    for one in entries:
        kinds = ", ".join(f"{share:.1%} {kind}" for kind, share in one["forfeits"].items())
        lines += [f"{_name(one)} forfeited by {kinds}"] if kinds else []
    return lines


def _name(one: Mapping[str, Any]) -> str:
    against = one.get("against")
    return short(one["agent"]) + (f" against {' + '.join(map(short, against))}" if against else "")


def _cells(one: Mapping[str, Any]) -> list[str]:
    strengths = [_mean(one["strength"][kept]) for kept in ("all", "legal")]
    ratings = [" ".join(f"{each['rating']:.0f}" for each in one["ratings"].get(kept, ())) for kept in ("all", "legal")]
    tokens = [f"{one['tokens'][kind]:,.0f}" for kind in ("prompt", "completion")]
    costs = ["" if one[name] is None else f"{one[name]:.4f}" for name in ("cost", "total_cost")]
    return [_name(one), f"{one['episodes']:,}", f"{one['forfeited']:.1%}", *strengths, *ratings, *tokens, *costs]


def _mean(one: Mapping[str, float | None] | None) -> str:
    """Return a mean and its interval, "-" without an episode."""
    if one is None or one["mean"] is None:
        return "-"
    low, high = one["low"], one["high"]
    around = "" if low is None or high is None else f" ({interval(low, high, '.3f', 'en')})"
    return f"{one['mean']:.3f}{around}"


def show(game: Game, entries: Sequence[Mapping[str, Any]]) -> None:
    """Print `entries`, those of `found`."""
    for line in lines_of(game, entries):
        print(line)
