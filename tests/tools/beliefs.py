"""Measure what the play of the other seats says about their cards, and whether a search gains from it.

    python tests/tools/beliefs.py gather estafado --seats 2 --deals 4000 --first 1000000 --out runs/beliefs
    python tests/tools/beliefs.py train estafado --out runs/beliefs
    python tests/tools/beliefs.py search estafado --seats 2 --deals 400 --first 3000000 --out runs/beliefs

`gather` plays deals between copies of the champion. It stores decisions, each with the hidden cards of the true world
and of resampled worlds. `train` fits a network to those of seeds from 1,000,000 on, and measures it on those of seed
2,000,000 (belief_net.py). `filter` measures a filter by the policy's likelihood (belief_filter.py). `search` compares
searches at single decisions, which differ in their worlds alone.

Letters: `K` worlds, `C` candidates.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
from belief_filter import log_weights
from belief_net import HIDDEN, WORLDS, Hidden, Scorer, by_deal, fit, gather, nats

from sobremesa import agents, envs
from sobremesa.agents.exported import Bot
from sobremesa.agents.search.improve import Improve, candidates_of
from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds, seed_of
from sobremesa.envs.core.agent import View, agent_seed, make_view, new_stream
from sobremesa.envs.core.deal import Ply, deal_between
from sobremesa.envs.core.files import whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.table import reshuffled

TESTED = 64  # worlds of a decision in `filter`
POOL, SMALL_POOL = 8, 4  # worlds that are scored for one that is kept; the second by the filter
SLIPS = (0.1, 0.01, 1.0)  # probabilities of a random action in the filter by likelihood; 1: the number of choices alone
GATES = (0.0, 1.0, 2.0)


def shown(values: np.ndarray) -> str:
    """Return the mean of `values`, one a deal, with its 95 % interval."""
    error = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():+.4f} ({values.mean() - error:+.4f} to {values.mean() + error:+.4f})"


class Trial:
    """Rollouts of the candidates of `search(champion)` in several kinds of worlds, at one decision of each deal.

    `redeal` draws worlds as usual. `score` draws POOL times as many and keeps some, in proportion to exp(score);
    `likelihood` does so by the filter. `truth` knows the cards of the others, but no order of a deck: it bounds the
    gain of any belief. A choice is judged by other rollouts from the true state.
    """

    def __init__(self, game: Game, seats: int, worlds: int, net: Scorer, likelihood: bool) -> None:
        agent = agents.load("search(champion)", game)
        assert isinstance(agent, Improve)
        self._game, self._seats, self.worlds, self._net = game, seats, worlds, net
        self._base, self._budget, self._rollouts = agent.base, agent.budget, Rollouts(game, agent.rollout)
        self._hidden, self._likelihood = Hidden(game), likelihood

    def at(self, deal: int) -> dict[str, tuple[np.ndarray, float]]:
        """Return for each kind of worlds the payoffs of the candidates, `(K, C)`, and the CPU seconds they took.

        The first candidate is the choice of the base. "judged" has the rollouts from the true state.
        """
        game = self._game
        plies = played(game, [self._base] * self._seats, deal)
        view = self._view(plies[-1], deal)
        seed = seed_of(view)
        candidates, _ = candidates_of(self._base, view, self._budget, seed)
        arms = {"redeal": self._redeal, "truth": self._truth, "score": self._scored}
        arms |= {"likelihood": self._likely} if self._likelihood else {}
        found = {"judged": self._play(view, candidates, self._true(plies, seed, self.worlds, 1), seed + 1)}
        for name, draw in arms.items():
            began = process_time()
            found[name] = self._play(view, candidates, draw(plies, view, seed), seed, began)
        return found

    def _play(
        self, view: View, candidates: np.ndarray, worlds: np.ndarray, seed: int, began: float = 0
    ) -> tuple[np.ndarray, float]:
        paid = self._rollouts.payoffs(worlds, candidates, seeds_of(CHANCE, seed, range(len(worlds))))
        return paid[:, :, view.seat], process_time() - began

    def _true(self, plies: list[Ply], seed: int, count: int, part: int) -> np.ndarray:
        return reshuffled(self._game, np.repeat(plies[-1].states, count), seeds_of(CHANCE, seed + part, range(count)))

    def _truth(self, plies: list[Ply], view: View, seed: int) -> np.ndarray:
        return self._true(plies, seed, self.worlds, 2)

    def _redeal(self, plies: list[Ply], view: View, seed: int) -> np.ndarray:
        return sample_worlds(view, seed, 0, self.worlds)

    def _scored(self, plies: list[Ply], view: View, seed: int) -> np.ndarray:
        pool = sample_worlds(view, seed, 0, POOL * self.worlds)
        seen, hidden = map(torch.from_numpy, (view.observation[None], self._hidden.of(pool, view.seat)[None]))
        with torch.no_grad():
            scores = self._net(seen, hidden)
        return pool[resampled_places(scores[0].numpy(), self.worlds, np.random.default_rng(seed))]

    def _likely(self, plies: list[Ply], view: View, seed: int) -> np.ndarray:
        pool = sample_worlds(view, seed, 0, SMALL_POOL * self.worlds)
        weights, _ = log_weights(self._game, plies, pool.copy(), self._base, SLIPS[:1])
        return pool[resampled_places(weights[0], self.worlds, np.random.default_rng(seed))]

    def _view(self, ply: Ply, deal: int) -> View:
        return make_view(self._game, ply.states, ply.seat, new_stream(agent_seed(deal, ply.seat)))


def measure_filter(game: Game, first: int, deals: int) -> None:
    """Print how much likelier than by `redeal` the true past is at one decision of each deal between two champions."""
    champion = agents.load("champion", game)
    assert isinstance(champion, Bot)
    gains, counts = list[np.ndarray](), list[int]()
    for deal in range(first, first + deals):
        plies = played(game, [champion] * 2, deal)
        view = make_view(game, plies[-1].states, plies[-1].seat, new_stream(agent_seed(deal, plies[-1].seat)))
        worlds = np.concatenate([plies[-1].states, sample_worlds(view, seed_of(view), 0, TESTED - 1)])
        weights, count = log_weights(game, plies, worlds, champion, SLIPS, pinned=1)
        gains.append(np.log(TESTED) + weights[:, 0] - np.logaddexp.reduce(weights, axis=1))
        counts.append(count)
    for row, slip in enumerate(SLIPS):
        print(f"{game.name}, slips {slip}: {shown(np.array(gains)[:, row])} nats, {np.mean(counts):.1f} actions")


def played(game: Game, seated: list[Any], deal: int) -> list[Ply]:
    """Return the plies of a deal up to a random one that is no vote."""
    plies = list(deal_between(game, seated, deal))[:-1]
    places = [place for place, ply in enumerate(plies) if game.fair_vote(ply.observation, ply.mask) is None]
    return plies[: int(np.random.default_rng(deal).choice(places)) + 1]


def resampled_places(scores: np.ndarray, count: int, rng: np.random.Generator) -> np.ndarray:
    """Return `count` places, each as often as exp(score) says (systematic resampling), in random order."""
    shares = np.exp(scores - scores.max(), dtype=float)
    steps = (np.arange(count) + rng.random()) / count
    places = np.searchsorted(np.cumsum(shares) / shares.sum(), steps).clip(0, len(scores) - 1)
    return rng.permutation(places)


def compare(trial: Trial, first: int, deals: int) -> None:
    """Print for each gate the gain of a choice from each kind of worlds over the base and over `redeal`.

    All kinds take the time of `redeal`: one that draws its worlds more slowly has fewer of them, in proportion.
    """
    found = [trial.at(deal) for deal in range(first, first + deals)]
    names = [name for name in found[0] if name != "judged"]
    seconds = {name: np.mean([one[name][1] for one in found]) for name in names}
    judged = [one["judged"][0].mean(0) for one in found]
    for gate in GATES:
        usual = None
        for name in names:
            worlds = max(2, int(trial.worlds * min(1, seconds["redeal"] / seconds[name])))
            choices = [choice(one[name][0][:worlds], gate) for one in found]
            gains = np.array([paid[chosen] - paid[0] for paid, chosen in zip(judged, choices, strict=True)])
            usual = gains if usual is None else usual
            print(
                f"gate {gate}, {name}, {worlds} worlds: {shown(gains)}, over redeal {shown(gains - usual)}, "
                f"leaves the base at {np.mean(np.array(choices) != 0):.1%}, {seconds[name]:.4f} s for all",
                flush=True,
            )


def choice(paid: np.ndarray, gate: float) -> int:
    """Return the candidate that a search with `gate` chooses from all payoffs `(K, C)`."""
    gains = paid - paid[:, :1]
    errors = gains.std(0, ddof=1) / np.sqrt(len(gains))
    worth = np.where(gains.mean(0) - gate * errors > 0, gains.mean(0), 0)
    return int(np.argmax(worth))


def main() -> None:
    """Do one step of the measurement, and print its figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["gather", "train", "filter", "search"])
    parser.add_argument("game", choices=sorted(HIDDEN))
    parser.add_argument("--agent", default="champion", help="who plays the deals of `gather`")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1_000_000, help="seed of the first deal")
    parser.add_argument("--worlds", type=int, default=WORLDS, help="of a decision in `gather`")
    parser.add_argument("--kept", type=int, default=256, help="worlds of a search")
    parser.add_argument("--likelihood", action="store_true", help="also worlds by the filter, which is slow")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--out", type=Path, required=True)
    words = parser.parse_args()
    if words.seats != 2 and (words.step == "filter" or words.likelihood):
        parser.error("the filter by likelihood has two seats; leave --seats out")
    torch.set_num_threads(1)
    game = envs.load(words.game)
    words.out.mkdir(parents=True, exist_ok=True)
    if words.step == "gather":
        found = gather(game, words.agent, words.seats, words.first, words.deals, words.worlds)
        with whole(words.out / f"{words.game}_{words.seats}_{words.first}.npz") as partial, partial.open("wb") as file:
            np.savez(file, **found)
        print(f"{len(found['deal'])} decisions of {words.deals} deals, {process_time():.0f} s")
    elif words.step == "train":
        train(game, words.out, words.epochs)
    elif words.step == "filter":
        measure_filter(game, words.first, words.deals)
    else:
        net = stored(game, words.out)
        compare(Trial(game, words.seats, words.kept, net, words.likelihood), words.first, words.deals)


def train(game: Game, folder: Path, epochs: int) -> None:
    """Fit a network to what `gather` stored in `folder`, store it there, and print its nats on other deals."""
    parts = [np.load(path) for path in sorted(folder.glob(f"{game.name}_?_1??????.npz"))]
    net = fit(game, {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}, epochs)
    with whole(folder / f"{game.name}.pt") as partial:
        torch.save(net.state_dict(), partial)
    for path in sorted(folder.glob(f"{game.name}_?_2000000.npz")):
        test = dict(np.load(path))
        gains = nats(game, net, test, np.arange(len(test["deal"])))
        print(path.name, shown(by_deal(gains, test["deal"])), f"{len(gains)} decisions")


def stored(game: Game, folder: Path) -> Scorer:
    """Return the network that `train` stored in `folder`."""
    hidden = Hidden(game)
    net = Scorer(game.layout.size, hidden.others, hidden.size)
    net.load_state_dict(torch.load(folder / f"{game.name}.pt", weights_only=True))
    return net


if __name__ == "__main__":
    main()
