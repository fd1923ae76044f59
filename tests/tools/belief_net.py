"""A network that scores resampled worlds of a seat by its observation and the hidden cards of the others in them.

It is trained so that the true world has the largest score (InfoNCE, van den Oord et al. 2018). On other deals,
log K + log softmax(score)[true world] is a lower bound on the information of play over `redeal`, in nats.

Letters: `n` decisions, `K` worlds, the true one first, `R` other seats, `F` hidden numbers of a seat, `W` bytes of an
observation.
"""

from time import process_time
from typing import Any

import numpy as np
import torch
from torch import nn

from sobremesa import agents
from sobremesa.agents.search.rollouts import sample_worlds, seed_of
from sobremesa.envs.core.agent import agent_seed, make_view, new_stream
from sobremesa.envs.core.api.match import Match
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import table_kernels

# Blocks of the observation of another seat that hold its hidden cards. Other blocks depend on memories of that seat,
# which `redeal` erases, so they would show which world is the true one.
HIDDEN = {
    "corre_el_encierro": ("hand",),
    "erase_una_vez": ("hand", "endings"),
    "estafado": ("floor", "hand", "pile"),
}
WORLDS = 16  # of a decision in training
RATE = {"corre_el_encierro": 0.05, "erase_una_vez": 0.1, "estafado": 0.08}  # share of decisions that is stored
TABLES = 256  # at once
WIDE, MIXED = 192, 32  # units of the network


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
