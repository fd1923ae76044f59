"""Rollout buffer: the learner's decisions as trajectories, one for each seat of each deal.

A batch is `T` decisions at each of `N` tables (the last one of a run may be smaller). Seats take turns, so the
successor of a decision is the next decision of the same seat. The last decision of a trajectory gets the seat's final
payoff, whichever seat ended the deal.

A batch may end in the middle of a deal. The last decision of an unfinished trajectory has no successor yet. It is
*carried*: it moves to the start of the next batch, with its value and probability, and is learned from there. Its
predecessor is bootstrapped with its value. So each decision is learned from once, and each payoff counts once.

Rewards may be shaped by a potential: a decision at potential P, followed by one at P', gets gamma P' - P more; the end
of a deal has potential 0. This leaves the optimal policy unchanged (Ng, Harada and Russell 1999).

Letters: `N` tables, `S` seats of the largest table, `T` decisions a table, `R` transitions, `A` actions, `W` bytes in
an observation, `M` numbers of memory. Index `n * S + s` has the carried decision of seat s of table n, if any; index
`N * S + t * N + n` holds decision t of table n.
"""

import numpy as np

from sobremesa.envs.core.chance import uniform
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.game import Game

NONE = -1  # no transition
_CARRIED = ("codes", "masks", "actions", "log_probs", "values", "potentials", "seats", "memories")


class RolloutBuffer:
    """The transitions of a batch, written during play and closed before learning."""

    def __init__(self, game: Game, tables: int, horizon: int, memory: int = 0) -> None:
        self.tables, self.horizon, self.max_seats = tables, horizon, game.max_seats
        self._last = tables  # tables with a last decision: the first so many
        self.carried = tables * game.max_seats  # places of carried decisions
        size = self.carried + horizon * tables
        self.layout = game.layout
        self.codes = np.zeros((size, game.layout.width), np.uint8)  # (R, W) observations as bytes
        self.masks = np.zeros((size, game.num_actions), np.bool_)  # (R, A)
        self.actions = np.zeros(size, np.int64)
        self.log_probs = np.zeros(size, np.float32)  # of the action, when it was taken
        self.values = np.zeros(size, np.float32)  # of the view, when the action was taken
        self.potentials = np.zeros(size, np.float32)  # of the seat, weighted
        self.seats = np.zeros(size, np.int8)
        self.memories = np.zeros((size, memory), np.float32)  # (R, M) before the decision
        self.taken = np.zeros(size, np.bool_)  # indices with a decision
        self.taken[self.carried :] = True
        self.payoffs = np.zeros((horizon, tables, game.max_seats), np.float32)  # of deals that ended with the step
        self.dones = np.zeros((horizon, tables), np.bool_)
        # Results of `close`:
        self.ready = np.zeros(size, np.bool_)  # transitions to learn from
        self.rewards = np.zeros(size, np.float32)  # up to the successor
        self.advantages = np.zeros(size, np.float32)
        self.open = np.full((tables, game.max_seats), NONE)  # the index to carry for each seat

    def at(self, step: int) -> slice:
        """Return the indices of decision `step` at all tables."""
        first = self.carried + step * self.tables
        return slice(first, first + (self._last if step == self.horizon - 1 else self.tables))

    @property
    def decisions(self) -> int:
        """The number of decisions in a batch, without carried ones."""
        return (self.horizon - 1) * self.tables + self._last

    def limit(self, decisions: int) -> None:
        """Shrink the buffer to `decisions`; the last row may be shorter."""
        if decisions >= self.decisions:
            return
        self.horizon = -(-decisions // self.tables)
        self._last = decisions - (self.horizon - 1) * self.tables
        size = self.carried + self.horizon * self.tables
        for name in (*_CARRIED, "taken", "ready", "rewards", "advantages"):
            setattr(self, name, getattr(self, name)[:size])
        self.payoffs, self.dones = self.payoffs[: self.horizon], self.dones[: self.horizon]
        self.taken[self.carried + decisions :] = False
        # as after a resume: no rows of an earlier batch are left there
        self.codes[self.carried + decisions :] = 0
        self.masks[self.carried + decisions :] = False

    def close(self, gamma: float, gae_lambda: float) -> np.ndarray:
        """Compute rewards and advantages, and return the indices to learn from, `(n,)` int64."""
        close_trajectories(
            self.seats, self.values, self.potentials, self.payoffs, self.dones, self.taken, gamma, gae_lambda,
            self.rewards, self.advantages, self.ready, self.open,
        )  # fmt: skip
        return np.flatnonzero(self.ready)

    def carry(self) -> None:
        """Move the decisions without a successor to the start of the next batch."""
        flat = self.open.ravel()
        slots = np.flatnonzero(flat != NONE)
        for name in _CARRIED:
            array = getattr(self, name)
            array[slots] = array[flat[slots]]
        self.taken[: self.carried] = False
        self.taken[slots] = True

    def pieces(self, length: int) -> np.ndarray:
        """Return the indices to learn from as pieces of trajectories, `(pieces, length)`, padded with NONE.

        `length` is cut to the longest possible trajectory of a batch.
        """
        found = np.full((len(self.taken), min(length, self.horizon + self.max_seats)), NONE)
        count = cut_pieces(self.seats, self.dones, self.taken, self.ready, self.max_seats, found)
        return found[:count]

    def arrays(self) -> dict[str, np.ndarray]:
        """Return the carried decisions by name: all that the next batch needs of this one."""
        return {name: getattr(self, name)[: self.carried] for name in (*_CARRIED, "taken")}


@kernel
def close_trajectories(
    seats, values, potentials, payoffs, dones, taken, gamma, gae_lambda, rewards, advantages, ready, waiting
):  # fmt: skip
    """Write rewards and generalised advantages (Schulman et al. 2016) of each trajectory, backwards."""
    horizon, tables, max_seats = payoffs.shape
    rewards[:] = 0
    advantages[:] = 0
    ready[:] = False
    waiting[:] = NONE
    value, advantage, potential = np.zeros(max_seats), np.zeros(max_seats), np.zeros(max_seats)  # of the successor
    due = np.zeros(max_seats)  # paid between a decision and its successor
    known = np.zeros(max_seats, np.bool_)  # whether there is a successor, or an end
    for table in range(tables):
        known[:] = False
        advantage[:] = 0
        due[:] = 0
        for step in range(horizon - 1, -max_seats - 1, -1):
            index = _index(step, table, tables, max_seats)
            if step >= 0 and dones[step, table]:
                known[:] = True
                value[:] = 0
                advantage[:] = 0
                potential[:] = 0
                due[:] = payoffs[step, table]
            if not taken[index]:
                continue
            seat = int(seats[index])
            if known[seat]:
                rewards[index] = due[seat] + gamma * potential[seat] - potentials[index]
                delta = rewards[index] + gamma * value[seat] - values[index]
                advantage[seat] = delta + gamma * gae_lambda * advantage[seat]
                advantages[index] = advantage[seat]
                ready[index] = True
            else:
                waiting[table, seat] = index
            value[seat] = values[index]
            potential[seat] = potentials[index]
            due[seat] = 0
            known[seat] = True


@kernel
def cut_pieces(seats, dones, taken, ready, max_seats, pieces):
    """Write the ready transitions of each trajectory in pieces of `pieces.shape[1]`; return the number of pieces."""
    horizon, tables = dones.shape
    count, length = 0, pieces.shape[1]
    piece, filled = np.zeros(max_seats, np.int64), np.zeros(max_seats, np.int64)
    for table in range(tables):
        filled[:] = length  # full: the next decision begins a piece
        for step in range(-max_seats, horizon):
            index = _index(step, table, tables, max_seats)
            if taken[index] and ready[index]:
                seat = int(seats[index])
                if filled[seat] == length:
                    piece[seat], filled[seat] = count, 0
                    count += 1
                pieces[piece[seat], filled[seat]] = index
                filled[seat] += 1
            if step >= 0 and dones[step, table]:
                filled[:] = length
    return count


@kernel
def _index(step, table, tables, max_seats):
    """Return the index of decision `step` of a table; steps -S to -1 are the carried ones of its seats."""
    if step < 0:
        return table * max_seats + step + max_seats
    return max_seats * tables + step * tables + table


@kernel
def draw_actions(logits, masks, streams, actions, log_probs):
    """Draw an action for each view from its masked softmax; return the first view without a legal action, or n.

    `logits (n, A)` float32, `masks (n, A)`, `streams (n,)` chance.STREAM; `actions (n,)` and `log_probs (n,)` are
    written.
    """
    odds = np.zeros(logits.shape[1])
    for view in range(logits.shape[0]):
        most = -np.inf
        for action in range(logits.shape[1]):
            if masks[view, action] and logits[view, action] > most:
                most = np.float64(logits[view, action])
        total, last = 0.0, -1
        for action in range(logits.shape[1]):
            if masks[view, action]:
                odds[action] = np.exp(np.float64(logits[view, action]) - most)
                total += odds[action]
                last = action
        if last < 0:
            return view
        left = uniform(streams[view]) * total
        chosen = last  # rounding may leave a little over
        for action in range(logits.shape[1]):
            if masks[view, action]:
                left -= odds[action]
                if left < 0:
                    chosen = action
                    break
        actions[view] = chosen
        log_probs[view] = np.float64(logits[view, chosen]) - most - np.log(total)
    return logits.shape[0]
