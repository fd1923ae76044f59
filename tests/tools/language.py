"""Figures of docs/results/language.md: play through text, sizes of prompts, episodes that a comparison takes.

    python tests/tools/language.py fidelity --episodes 1000
    python tests/tools/language.py tokens --episodes 20
    python tests/tools/language.py episodes --deals 2000

`fidelity`: the best scripted agent plays at every seat through prompts and answers only, and its returns are compared
with those of the agent itself on the same deals. `tokens`: mean sizes of prompts; it needs the packages mistral-common
(its vocabulary "tekken", 131,072 tokens, comes with it) and tiktoken. `episodes`: how many episodes show that one agent
is 100 points stronger than another.
"""

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa import agents, envs
from sobremesa.agents.arena.score import nature, win_rates
from sobremesa.agents.language.parser import parse_answer
from sobremesa.agents.language.prompt import Style, rules_prompt, turn_prompt
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.chance import pick
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_between
from sobremesa.envs.core.game import LANGUAGES, Game

POINTS, SUCCESS = 100, 0.14  # the difference to be shown: of ratings, and of a team's success
POWER = 1.96 + 0.84  # standard errors: a 95 % interval above 0 in 80 % of the comparisons
STYLES = {
    "list": {},
    "list, history": {"history": True},
    "no list": {"actions": False},
}


class Scribe:
    """An agent that plays `base` through prompts and answers only; `sizes` has the prompts' sizes by `count`."""

    def __init__(self, base: Any, style: Style, count: Callable[[str], int] = len) -> None:
        self.name, self.base, self.style, self.count = "scribe", base, style, count
        self.history_language = style.language
        self.rules: list[int] = []
        self.turns: list[int] = []

    def act(self, view: View) -> int:
        """Return the action that the base agent's answer names; raise ValueError if the parser refuses it."""
        prompt = turn_prompt(view, self.style)
        name = view.game.words.action_name(self.base.act(view), self.style.language)
        read = parse_answer(f"ACTION: {name}", view.game, view.mask, self.style.language)
        if read.action is None or (self.style.actions and name not in prompt.splitlines()):
            raise ValueError(f"{view.game.id}: {name!r} was read as {read}")
        if self.count is not len:
            self.rules.append(self.count(rules_prompt(view, self.style)) if len(view.history) == 1 else 0)
            self.turns.append(self.count(prompt))
        return read.action


def best(game: Game) -> Any:
    """Return the best scripted agent of `game`."""
    return agents.load(agents.scripted_names(game)[-1], game)


def fidelity(arguments: argparse.Namespace) -> None:
    """Print, for each game, the episodes, decisions and returns that differ."""
    print("| game | episodes | decisions | forfeits | returns that differ |\n|---|---|---|---|---|")
    for name in arguments.games:
        game, seats = envs.load(name), envs.load(name).default_seats
        strong, deals = best(game), -(-arguments.episodes // seats)
        spoken = {}
        for language in LANGUAGES:
            scribe = Scribe(strong, Style(language, history=language == "en"))
            part = range(deals // 2) if language == "en" else range(deals // 2, deals)
            spoken[language] = agents.play(game, [scribe], part, seed=arguments.seed, seated=[0] * seats)
        alone = agents.play(game, [strong], deals, seed=arguments.seed, seated=[0] * seats)
        payoffs = np.concatenate([one.payoffs for one in spoken.values()])
        plies = sum(int(one.plies.sum()) for one in spoken.values())
        forfeits = sum(len(one.forfeited()) for one in spoken.values())
        different = int((payoffs != alone.payoffs).any(1).sum())
        print(f"| {name} | {len(payoffs):,} | {plies:,} | {forfeits} | {different} |", flush=True)


def tokenizer() -> Callable[[str], int]:
    """Return the function that counts the tokens of a text."""
    import mistral_common
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer

    found = Tekkenizer.from_file(Path(mistral_common.__file__).parent / "data" / "tekken_240911.json")
    return lambda text: len(found.encode(text, bos=False, eos=False))


def tokens(arguments: argparse.Namespace) -> None:
    """Print the mean sizes of the prompts of each game, language and style."""
    count = tokenizer()
    print("| game | language | style | rules | a decision | decisions | an episode |\n|---|---|---|---|---|---|---|")
    for name in arguments.games:
        game = envs.load(name)
        strong, seats = best(game), game.default_seats
        for language in LANGUAGES:
            for called, parts in STYLES.items():
                scribe = Scribe(strong, Style(language, **parts), count)
                for deal in range(arguments.episodes):
                    seated = [scribe if seat == deal % seats else strong for seat in range(seats)]
                    list(deal_between(game, seated, arguments.seed + deal))
                rules = max(scribe.rules)
                each, turns = float(np.mean(scribe.turns)), len(scribe.turns) / arguments.episodes
                row = (name, language, called, f"{rules:,}", f"{each:,.0f}", f"{turns:.0f}")
                print(f"| {' | '.join(row)} | {turns * (rules + each):,.0f} |", flush=True)


@kernel
def _lot(streams, chance):
    return pick(streams, chance)


class Diluted:
    """An agent that plays at random in a `share` of its decisions, and like `base` otherwise."""

    def __init__(self, base: Any, share: float) -> None:
        self.name, self.base, self.share = "diluted", base, share

    def act_batch(self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray) -> np.ndarray:
        """Return the actions `(n,)`."""
        coin, actions = np.ones(1000, np.int8), np.zeros(len(masks), np.int64)
        for row in range(len(masks)):
            wild = int(_lot(streams[row], coin)) < self.share * 1000
            act = _lot(streams[row], masks[row]) if wild else None
            actions[row] = self.base.kernel(observations[row], masks[row], streams[row]) if act is None else act
        return actions

    def act(self, view: View) -> int:
        """Return the action for one view."""
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream)[0])


def shares(game: Game, share: float, deals: int, seed: int) -> np.ndarray:
    """Return the win rate of the best scripted agent by deal and seating `(deals, seats)`.

    It plays alone among copies of itself that are diluted. In a cooperative game it is the success of its team, then
    that of the other team, `(deals, 2)`.
    """
    strong, seats = best(game), game.default_seats
    pair = [strong, Diluted(strong, share)]
    if game.cooperative:
        each = [agents.play(game, [one], deals, seed=seed, seated=[0] * seats).payoffs for one in pair]
        return np.stack([one.reshape(deals, seats, seats)[:, 0, 0] for one in each], 1)
    found = agents.play(game, pair, deals, seed=seed, seated=[0] + [1] * (seats - 1))
    return win_rates(found.payoffs)[found.seating == 0].reshape(deals, seats)


def lead(game: Game, found: np.ndarray) -> float:
    """Return how far the agent is ahead in `found`, the result of `shares`."""
    return float(found[:, 0].mean() - found[:, 1].mean() if game.cooperative else found.mean() - 1 / found.shape[1])


def wanted(game: Game) -> float:
    """Return the lead that is to be shown."""
    odds = 10 ** (POINTS / 400)
    seats = game.default_seats
    return SUCCESS if game.cooperative else odds / (odds + seats - 1) - 1 / seats


def episodes(arguments: argparse.Namespace) -> None:
    """Print how many episodes show the difference, with the same deals for both agents and without."""
    print("| game | random decisions | lead | separate deals | duplicate deals | ratio |\n|---|---|---|---|---|---|")
    for name in arguments.games:
        game = envs.load(name)
        aim, low, high = wanted(game), 0.0, 1.0
        for _ in range(10):
            middle = (low + high) / 2
            under = lead(game, shares(game, middle, arguments.deals // 2, arguments.seed + 1)) < aim
            low, high = (middle, high) if under else (low, middle)
        found = shares(game, high, arguments.deals, arguments.seed)
        if game.cooperative:
            apart = 2 * (found[:, 0].var() + found[:, 1].var())
            together = 2 * (found[:, 0] - found[:, 1]).var()
        else:
            apart, together = found.var(), found.shape[1] * found.mean(1).var()
        need = [POWER**2 * one / aim**2 for one in (apart, together)]
        kind = f"{lead(game, found):+.3f}" + (" success" if not nature(game).rated else "")
        print(
            f"| {name} | {high:.3f} | {kind} | {need[0]:,.0f} | {need[1]:,.0f} | {need[1] / need[0]:.2f} |", flush=True
        )


def main(words: Sequence[str] | None = None) -> None:
    """Run one of the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("fidelity", "tokens", "episodes"))
    parser.add_argument("--games", nargs="+", default=envs.games(), help="games (default: the five)")
    parser.add_argument("--episodes", type=int, default=20, help="episodes of each game (default: 20)")
    parser.add_argument("--deals", type=int, default=2000, help="deals of each game (default: 2000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default: 0)")
    arguments = parser.parse_args(words)
    {"fidelity": fidelity, "tokens": tokens, "episodes": episodes}[arguments.what](arguments)


if __name__ == "__main__":
    main()
