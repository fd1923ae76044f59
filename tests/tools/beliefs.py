"""Measure what the play of the other seats says about their cards, and whether a search gains from it.

    python tests/tools/beliefs.py gather estafado --seats 2 --deals 4000 --first 1000000 --out runs/beliefs
    python tests/tools/beliefs.py train estafado --out runs/beliefs
    python tests/tools/beliefs.py search estafado --seats 2 --deals 400 --first 3000000 --out runs/beliefs

`gather` plays deals between copies of the champion. It stores decisions, each with the hidden cards of the true world
and of resampled worlds. `train` fits a network that scores a world from the observation of the seat and the cards of
the others, so that the true world has the largest score (InfoNCE, van den Oord et al. 2018). On deals that it was not
trained on, log K + log softmax(score)[true world] is a lower bound on the information in play, in nats, over `redeal`.
`search` compares searches at single decisions; they differ in their worlds alone.

Letters: `n` decisions, `K` worlds, `R` other seats, `F` hidden numbers of a seat, `W` bytes of an observation.
"""

import argparse
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
import torch
from belief_filter import log_weights
from torch import nn

from sobremesa import agents, envs
from sobremesa.agents.exported import Bot
from sobremesa.agents.search.improve import Improve, candidates_of
from sobremesa.agents.search.rollouts import CHANCE, Rollouts, sample_worlds, seed_of
from sobremesa.envs.core.agent import View, agent_seed, make_view, new_stream
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.deal import Ply, deal_between
from sobremesa.envs.core.files import whole
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.seeds import seeds_of
from sobremesa.envs.core.table import reshuffled, table_kernels

# Blocks of the observation of another seat that hold its hidden cards. Other blocks depend on memories of that seat,
# which `redeal` erases, so they would show which world is the true one.
HIDDEN = {
    "corre_el_encierro": ("hand",),
    "erase_una_vez": ("hand", "endings"),
    "estafado": ("floor", "hand", "pile"),
}
WORLDS = 16  # of a decision in training
TESTED = 64  # of a decision on which a network is measured
RATE = {"corre_el_encierro": 0.05, "erase_una_vez": 0.1, "estafado": 0.08}  # share of decisions that is stored
TABLES = 256  # at once
WIDE, MIXED = 192, 32  # units of the network
POOL, SMALL_POOL = 8, 4  # worlds that are scored for one that is kept; the second by likelihood, and in play
SLIPS = (0.1, 0.01, 1.0)  # probabilities of a random action in the filter by likelihood; 1: the number of choices alone
GATES = (0.0, 1.0, 2.0)


class Hidden:
    """The hidden cards of the other seats in worlds of a game."""

    def __init__(self, game: Game) -> None:
        layout, places = game.layout, list[np.ndarray]()
        sizes = {block.name: block.size for block in layout}
        for name in HIDDEN[game.name]:
            places.append(layout.start(name) + np.arange(sizes[name]))
        self._places = np.concatenate(places)
        self._observe, self._buffer = table_kernels(game).observe, np.zeros(layout.size, np.float32)
        self.others, self.size = game.max_seats - 1, len(self._places)

    def of(self, worlds: np.ndarray, seat: int) -> np.ndarray:
        """Return `(K, R, F)` float32: the cards of the seats after `seat` in each world; zeros for missing seats."""
        found = np.zeros((len(worlds), self.others, self.size), np.float32)
        seats = int(worlds["seats"][0])
        for number in range(len(worlds)):
            for other in range(seats - 1):
                self._observe(worlds[number : number + 1], (seat + 1 + other) % seats, self._buffer)
                found[number, other] = self._buffer[self._places]
        return found


def gather(game: Game, agent: str, seats: int, first: int, deals: int, worlds: int) -> dict[str, np.ndarray]:
    """Play `deals` deals between copies of `agent` from seed `first` on; return arrays of the stored decisions."""
    champion, hidden, rng = agents.load(agent, game), Hidden(game), np.random.default_rng(first)
    encode = table_kernels(game).encode
    rows: dict[str, list[Any]] = {name: [] for name in ("codes", "hidden", "deal")}
    for low in range(first, first + deals, TABLES):
        count = min(TABLES, first + deals - low)
        match = Match(game, [champion], game.new_tables(count, {"seats": seats}), 1, stepwise=True)
        match.deal(np.arange(count), np.arange(low, low + count))
        codes = np.zeros(game.layout.width, np.uint8)
        while not match.over.all():
            running = np.flatnonzero(~match.over)
            for row in running:
                seat = int(match.seats[row])
                encode(match.states[row : row + 1], seat, codes)
                if rng.random() < RATE[game.name] and not _is_vote(game, match, row):
                    truth = match.states[row : row + 1]
                    view = make_view(game, truth, seat, new_stream(agent_seed(low + row, seat)))
                    resampled = sample_worlds(view, seed_of(view), 0, worlds - 1)
                    rows["codes"].append(codes.copy())
                    rows["hidden"].append(hidden.of(np.concatenate([truth, resampled]), seat).astype(np.float16))
                    rows["deal"].append(low + row)
            match.step(running, match.decide(running))
    return {name: np.array(found) for name, found in rows.items()}


def _is_vote(game: Game, match: Match, row: int) -> bool:
    return game.fair_vote(match.observations[row], match.masks[row]) is not None


class Scorer(nn.Module):
    """Scores of worlds from the observation of a seat and the others' cards."""

    def __init__(self, size: int, others: int, hidden: int) -> None:
        super().__init__()
        self.shape = others, hidden
        self.trunk = nn.Sequential(nn.Linear(size, WIDE), nn.ReLU(), nn.Linear(WIDE, WIDE), nn.ReLU())
        self.linear = nn.Linear(WIDE, others * hidden)
        self.context = nn.Linear(WIDE, others * MIXED)
        self.cards = nn.Linear(hidden, MIXED, bias=False)
        self.last = nn.Linear(MIXED, 1, bias=False)

    def forward(self, seen: torch.Tensor, hidden: torch.Tensor) -> torch.Tensor:
        """Return the scores `(n, K)` for observations `(n, D)` and worlds `(n, K, R, F)`."""
        others, size = self.shape
        trunk = self.trunk(seen)
        weights = self.linear(trunk).view(-1, 1, others, size)
        context = self.context(trunk).view(-1, 1, others, MIXED)
        mixed = self.last(torch.relu(self.cards(hidden) + context))[..., 0]
        there = hidden.abs().sum(-1) > 0
        return ((weights * hidden).sum(-1) + mixed * there).sum(-1)


def inputs(game: Game, found: dict[str, np.ndarray], rows: np.ndarray) -> tuple[torch.Tensor, ...]:
    """Return observations and hidden cards of the decisions `rows`."""
    seen = game.layout.decode(found["codes"][rows])
    return torch.from_numpy(seen), torch.from_numpy(found["hidden"][rows].astype(np.float32))


def fit(game: Game, found: dict[str, np.ndarray], epochs: int) -> Scorer:
    """Return the network with the best loss on a tenth of the deals, which it is not trained on."""
    torch.manual_seed(0)
    rng, hidden = np.random.default_rng(0), found["hidden"]
    net = Scorer(game.layout.size, *hidden.shape[2:])
    adam = torch.optim.AdamW(net.parameters(), lr=1e-3, weight_decay=1e-2)
    held = found["deal"] % 10 == 0
    train, check = np.flatnonzero(~held), np.flatnonzero(held)
    best, kept = -np.inf, net.state_dict()
    for epoch in range(epochs):
        for group in adam.param_groups:
            group["lr"] = 1e-3 * (1 - epoch / epochs)
        rng.shuffle(train)
        for low in range(0, len(train) - 127, 128):
            scores = net(*inputs(game, found, train[low : low + 128]))
            loss = -scores.log_softmax(1)[:, 0].mean()
            adam.zero_grad()
            loss.backward()
            adam.step()
        gain = nats(game, net, found, check).mean()
        print(f"epoch {epoch}: {gain:.4f} nats on {len(check)} decisions, {process_time():.0f} s", flush=True)
        if gain > best:
            best, kept = gain, {name: value.clone() for name, value in net.state_dict().items()}
    net.load_state_dict(kept)
    return net


def nats(game: Game, net: Scorer, found: dict[str, np.ndarray], rows: np.ndarray) -> np.ndarray:
    """Return `(n,)`: how much likelier than by `redeal` the true world is at each of the decisions `rows`."""
    gains = []
    with torch.no_grad():
        for low in range(0, len(rows), 512):
            scores = net(*inputs(game, found, rows[low : low + 512]))
            gains.append(scores.log_softmax(1)[:, 0].numpy() + np.log(scores.shape[1]))
    return np.concatenate(gains)


def by_deal(values: np.ndarray, deals: np.ndarray) -> np.ndarray:
    """Return the mean of `values` in each deal."""
    _, places = np.unique(deals, return_inverse=True)
    means: np.ndarray = np.bincount(places, values) / np.bincount(places)
    return means


def told(values: np.ndarray) -> str:
    """Return the mean of `values`, one a deal, with its 95 % interval."""
    error = 1.96 * values.std(ddof=1) / np.sqrt(len(values))
    return f"{values.mean():+.4f} ({values.mean() - error:+.4f} to {values.mean() + error:+.4f})"


class LearnedBelief:
    """Worlds in proportion to exp(score) of a network, in the place of `search.belief.Belief`."""

    def __init__(self, game: Game, net: Scorer, worlds: int, pool: int) -> None:
        self._net, self._worlds, self._pool, self._hidden = net, worlds, pool, Hidden(game)

    def worlds(self, view: View, seed: int, *_: Any) -> np.ndarray:
        pool = sample_worlds(view, seed, 0, self._pool * self._worlds)
        seen, hidden = map(torch.from_numpy, (view.observation[None], self._hidden.of(pool, view.seat)[None]))
        with torch.no_grad():
            scores = self._net(seen, hidden)
        return pool[resampled_places(scores[0].numpy(), self._worlds, np.random.default_rng(seed))]

    def keep(self, *_: Any) -> None: ...

    def forget(self, *_: Any) -> None: ...


class Timed:
    """`search(champion)` and the CPU seconds that it takes; with a `net`, in worlds that it keeps."""

    def __init__(self, game: Game, worlds: int, net: Scorer | None = None) -> None:
        search = agents.load(f"search(champion, worlds={worlds})", game)
        assert isinstance(search, Improve)
        if net is not None:
            search._belief = LearnedBelief(game, net, worlds, SMALL_POOL)
        self.name, self._search = f"{search.name} {'with' if net else 'without'} beliefs", search
        self.seconds, self.decisions = 0.0, 0

    def act(self, view: View) -> int:
        began = process_time()
        action = int(self._search.act(view))
        self.seconds += process_time() - began
        self.decisions += 1
        return action


def play(game: Game, net: Scorer, seats: int, worlds: int, fewer: int, deals: int, first: int) -> None:
    """Print the score of a search with beliefs and `fewer` worlds among searches with `worlds` worlds."""
    ours, usual = Timed(game, fewer, net), Timed(game, worlds)
    print(agents.compare(game, ours, usual, deals=deals, seed=first, seats=seats))
    for one in (ours, usual):
        print(f"{one.name}: {one.seconds / one.decisions:.4f} s a decision")


class Trial:
    """Rollouts of the candidates of `search(champion)` in several kinds of worlds, at one decision of each deal.

    `redeal` draws worlds as usual. `score` draws POOL times as many and keeps some, in proportion to exp(score);
    `likelihood` does so by the filter. `truth` knows the cards of the others, but no order of a deck: it bounds the
    gain of any belief. A choice is judged by other rollouts from the true state.
    """

    def __init__(self, game: Game, seats: int, worlds: int, net: Scorer | None, likelihood: bool) -> None:
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
        arms = {"redeal": self._redeal, "truth": self._truth}
        arms |= {"likelihood": self._likely} if self._likelihood else {}
        arms |= {"score": self._scored} if self._net is not None else {}
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
        seen, hidden = (
            torch.from_numpy(view.observation[None]),
            torch.from_numpy(self._hidden.of(pool, view.seat)[None]),
        )
        assert self._net is not None
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
        print(f"{game.name}, slips {slip}: {told(np.array(gains)[:, row])} nats, {np.mean(counts):.1f} actions")


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
                f"gate {gate}, {name}, {worlds} worlds: {told(gains)}, over redeal {told(gains - usual)}, "
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
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=["gather", "train", "filter", "search", "play"])
    parser.add_argument("game", choices=sorted(HIDDEN))
    parser.add_argument("--agent", default="champion", help="who plays the deals of `gather`")
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--deals", type=int, default=1000)
    parser.add_argument("--first", type=int, default=1_000_000, help="seed of the first deal")
    parser.add_argument("--worlds", type=int, default=WORLDS)
    parser.add_argument("--kept", type=int, default=256, help="worlds of a search")
    parser.add_argument("--fewer", type=int, default=128, help="worlds of the search with beliefs in `play`")
    parser.add_argument("--likelihood", action="store_true", help="also worlds by the filter, which is slow")
    parser.add_argument("--epochs", type=int, default=6)
    parser.add_argument("--out", type=Path, required=True)
    words = parser.parse_args()
    torch.set_num_threads(1)
    game = envs.load(words.game)
    words.out.mkdir(parents=True, exist_ok=True)
    if words.step == "gather":
        found = gather(game, words.agent, words.seats, words.first, words.deals, words.worlds)
        with whole(words.out / f"{words.game}_{words.seats}_{words.first}.npz") as partial, partial.open("wb") as file:
            np.savez(file, **found)
        print(f"{len(found['deal'])} decisions of {words.deals} deals, {process_time():.0f} s")
    elif words.step == "train":
        parts = [np.load(path) for path in sorted(words.out.glob(f"{words.game}_?_1??????.npz"))]
        found = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
        net = fit(game, found, words.epochs)
        torch.save(net.state_dict(), words.out / f"{words.game}.pt")
        for path in sorted(words.out.glob(f"{words.game}_?_2000000.npz")):
            test = dict(np.load(path))
            gains = nats(game, net, test, np.arange(len(test["deal"])))
            print(path.name, told(by_deal(gains, test["deal"])), f"{len(gains)} decisions")
    elif words.step == "filter":
        measure_filter(game, words.first, words.deals)
    else:
        path = words.out / f"{words.game}.pt"
        net = None
        if path.exists():
            hidden = Hidden(game)
            net = Scorer(game.layout.size, hidden.others, hidden.size)
            net.load_state_dict(torch.load(path, weights_only=True))
        if words.step == "play":
            assert net is not None
            play(game, net, words.seats, words.kept, words.fewer, words.deals, words.first)
            return
        trial = Trial(game, words.seats, words.kept, net, words.likelihood)
        compare(trial, words.first, words.deals)


if __name__ == "__main__":
    main()
