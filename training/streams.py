"""The learner's decisions as streams, one for each seat of each deal, from decision to decision.

A batch is `T` decisions at each of `N` tables. Seats at one table take turns, so a decision's successor is not the next
row but the next row of the same seat; what lies between belongs to others. A stream ends with its deal, and its last
decision is paid the seat's final payoff, whoever ended the deal and however long the seat had not been asked.

A batch may end in the middle of a deal. The last decision of each stream that goes on then has no successor yet. It is
*carried*: left out of this batch, kept with all that was known when it was taken, and put before the next batch, where
its successor or its payoff will be known. So each decision is learnt from once, and each payoff is counted once; its
predecessor in this batch is bootstrapped with the value of the carried decision, the seat's own last view. A carried
decision is learnt from one update later than it was taken; its probability is the one it was taken with.

Rewards may be shaped: a decision at which a seat's potential is P, followed by one at which it is P', is paid
gamma P' - P more; the end of a deal has the potential 0. What is added along a stream depends on where it begins alone,
so that the best policy stays the best (Ng, Harada and Russell 1999).

Letters: `N` tables, `S` seats of the largest table, `T` decisions a table, `R` rows, `A` actions, `D` numbers in an
observation, `M` numbers of memory. Row `n * S + s` holds what is carried for seat s of table n, if anything; after
these N * S rows, row `N * S + t * N + n` holds decision t of table n.
"""

import numpy as np

from sobremesa.envs.core.chance import uniform
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.kernel import kernel

NONE = -1  # no row


class Streams:
    """The rows of a batch, written while it is played and closed before it is learnt from."""

    def __init__(self, game: Game, tables: int, horizon: int, memory: int = 0) -> None:
        self.tables, self.horizon, self.places = tables, horizon, game.max_seats
        self.carried = tables * game.max_seats  # rows for what is carried
        rows = self.carried + horizon * tables
        self.observations = np.zeros((rows, game.layout.size), np.float32)  # (R, D)
        self.masks = np.zeros((rows, game.num_actions), np.bool_)  # (R, A)
        self.actions = np.zeros(rows, np.int64)
        self.log_probs = np.zeros(rows, np.float32)  # of the action, when it was taken
        self.values = np.zeros(rows, np.float32)  # of the view, when the action was taken
        self.potentials = np.zeros(rows, np.float32)  # of the seat, weighed as the configuration says
        self.seats = np.zeros(rows, np.int8)
        self.memories = np.zeros((rows, memory), np.float32)  # (R, M) carried into the decision
        self.taken = np.zeros(rows, np.bool_)  # rows that hold a decision
        self.taken[self.carried :] = True
        self.payoffs = np.zeros((horizon, tables, game.max_seats), np.float32)  # of deals that ended with the step
        self.dones = np.zeros((horizon, tables), np.bool_)
        # What `close` finds out:
        self.ready = np.zeros(rows, np.bool_)  # rows to learn from
        self.rewards = np.zeros(rows, np.float32)  # up to the successor
        self.advantages = np.zeros(rows, np.float32)
        self.open = np.full((tables, game.max_seats), NONE)  # the row to carry for each seat

    def rows(self, step: int) -> slice:
        """Return where decision `step` of each table lies."""
        first = self.carried + step * self.tables
        return slice(first, first + self.tables)

    def close(self, gamma: float, gae_lambda: float) -> np.ndarray:
        """Work out rewards and advantages, and return the rows that may be learnt from, `(n,)` int64."""
        close_streams(
            self.seats, self.values, self.potentials, self.payoffs, self.dones, self.taken, gamma, gae_lambda,
            self.rewards, self.advantages, self.ready, self.open,
        )  # fmt: skip
        return np.flatnonzero(self.ready)

    def carry(self) -> None:
        """Put the decisions that wait for their successors before the next batch."""
        flat = self.open.ravel()
        slots = np.flatnonzero(flat != NONE)
        for array in self._kept():
            array[slots] = array[flat[slots]]
        self.taken[: self.carried] = False
        self.taken[slots] = True

    def pieces(self, length: int) -> np.ndarray:
        """Return the rows to learn from as pieces of streams, `(pieces, length)`, filled up with NONE."""
        found = np.full((len(self.taken), length), NONE)
        count = cut_pieces(self.seats, self.dones, self.taken, self.ready, self.places, found)
        return found[:count]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return what is carried, by name: all that the next batch needs of this one."""
        names = ("observations", "masks", "actions", "log_probs", "values", "potentials", "seats", "memories", "taken")
        return {name: getattr(self, name)[: self.carried] for name in names}

    def _kept(self) -> tuple[np.ndarray, ...]:
        return (
            self.observations, self.masks, self.actions, self.log_probs, self.values, self.potentials, self.seats,
            self.memories,
        )  # fmt: skip


@kernel
def close_streams(
    seats, values, potentials, payoffs, dones, taken, gamma, gae_lambda, rewards, advantages, ready, open_rows
):  # fmt: skip
    """Write rewards and generalised advantages (Schulman et al. 2016) of each seat's stream, from its end backwards."""
    horizon, tables, places = payoffs.shape
    rewards[:] = 0
    advantages[:] = 0
    ready[:] = False
    open_rows[:] = NONE
    value, advantage, potential = np.zeros(places), np.zeros(places), np.zeros(places)  # of each seat's successor
    due = np.zeros(places)  # paid between a decision and its successor
    known = np.zeros(places, np.bool_)  # whether there is a successor, or an end
    for table in range(tables):
        known[:] = False
        advantage[:] = 0
        due[:] = 0
        for step in range(horizon - 1, -places - 1, -1):
            if step >= 0:
                row = places * tables + step * tables + table
                if dones[step, table]:
                    known[:] = True
                    value[:] = 0
                    advantage[:] = 0
                    potential[:] = 0
                    due[:] = payoffs[step, table]
            else:
                row = table * places + (-1 - step)
            if not taken[row]:
                continue
            seat = int(seats[row])
            if known[seat]:
                rewards[row] = due[seat] + gamma * potential[seat] - potentials[row]
                delta = rewards[row] + gamma * value[seat] - values[row]
                advantage[seat] = delta + gamma * gae_lambda * advantage[seat]
                advantages[row] = advantage[seat]
                ready[row] = True
            else:
                open_rows[table, seat] = row
            value[seat] = values[row]
            potential[seat] = potentials[row]
            due[seat] = 0
            known[seat] = True


@kernel
def cut_pieces(seats, dones, taken, ready, places, pieces):
    """Write each stream's ready rows in order, cut after `pieces.shape[1]`; return how many pieces there are."""
    horizon, tables = dones.shape
    count, length = 0, pieces.shape[1]
    piece, filled = np.zeros(places, np.int64), np.zeros(places, np.int64)
    for table in range(tables):
        filled[:] = length  # full: the next decision begins a piece
        for step in range(-places, horizon):
            row = table * places + step + places if step < 0 else places * tables + step * tables + table
            if taken[row] and ready[row]:
                seat = int(seats[row])
                if filled[seat] == length:
                    piece[seat], filled[seat] = count, 0
                    count += 1
                pieces[piece[seat], filled[seat]] = row
                filled[seat] += 1
            if step >= 0 and dones[step, table]:
                filled[:] = length
    return count


@kernel
def draw_actions(logits, masks, streams, actions, log_probs):
    """Draw an action a row from the softmax of its logits over its mask; return the first row that allows nothing.

    `logits (n, A)` float32, `masks (n, A)`, `streams (n,)` chance.STREAM; `actions (n,)` and `log_probs (n,)` are
    written. Returns n if every row allows something.
    """
    odds = np.zeros(logits.shape[1])
    for row in range(logits.shape[0]):
        most = -np.inf
        for action in range(logits.shape[1]):
            if masks[row, action] and logits[row, action] > most:
                most = np.float64(logits[row, action])
        total, last = 0.0, -1
        for action in range(logits.shape[1]):
            if masks[row, action]:
                odds[action] = np.exp(np.float64(logits[row, action]) - most)
                total += odds[action]
                last = action
        if last < 0:
            return row
        left = uniform(streams[row]) * total
        chosen = last  # rounding may leave a little over
        for action in range(logits.shape[1]):
            if masks[row, action]:
                left -= odds[action]
                if left < 0:
                    chosen = action
                    break
        actions[row] = chosen
        log_probs[row] = np.float64(logits[row, chosen]) - most - np.log(total)
    return logits.shape[0]
