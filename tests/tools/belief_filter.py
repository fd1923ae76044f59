"""A filter of resampled worlds by the policy's likelihood of what the other seat did, in games between two champions.

A world weighs the product of the probabilities with which the champion takes in it the last `ACTIONS` actions that the
other seat took. Its past is the true past with other hidden cards, constructed one ply at a time, backwards. Cards that
the other seat played return to its hand. Of cards that it drew unseen, random ones of its hand return to the deck. It
stops where unseen cards moved in a way that the functions of `PAST` do not follow. Decisions that the seat
does not see (UNSEEN), such as to pass over a reaction, have no weight.

Letters: `K` worlds.
"""

import numpy as np

from sobremesa.agents.exported import Bot
from sobremesa.envs.core.deal import Ply
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.table import table_kernels
from sobremesa.envs.corre_el_encierro import state as runs
from sobremesa.envs.erase_una_vez import state as s
from sobremesa.envs.erase_una_vez.tables import NUM_ELEMENTS

ACTIONS = 16  # of the other seat, the latest
IMPOSSIBLE = 1e-6  # probability of an action that is illegal in a world
Fields = dict[str, np.ndarray]
LOST = 0.2  # share of worlds without a past at which its construction stops


def encierro(world: np.void, before: np.void, after: np.void, seat: int, rng: np.random.Generator) -> Fields | None:
    """Return the fields in which the past of `world`, a world at `after`, differs from `before`; None without one."""
    other, hand = 1 - seat, world["hand"].copy()
    change = after["hand"][other].astype(int) - before["hand"][other]
    known = np.minimum(np.maximum(before["hand"][seat] - after["hand"][seat], 0), np.maximum(change, 0))
    hand[other] -= known.astype(np.int8)  # stolen from the seat
    for _ in range(int(np.maximum(change, 0).sum() - known.sum())):
        kinds = np.repeat(np.arange(len(change)), np.maximum(hand[other], 0))
        if not len(kinds):
            return None
        hand[other, rng.choice(kinds)] -= 1
    hand[other] += np.maximum(-change, 0).astype(np.int8)
    hand[seat] = before["hand"][seat]
    return {"hand": hand} if (hand >= 0).all() else None


def erase(world: np.void, before: np.void, after: np.void, seat: int, rng: np.random.Generator) -> Fields | None:
    """Do the same in *Érase una vez*."""
    other, mine = 1 - seat, world["where"].copy()
    held, buried = mine == other, (mine == s.BURIED) & (world["buried_by"] == other)
    was, now = before["where"], after["where"]
    for card in np.flatnonzero((now == other) & (was == s.TABLE) | (now == other) & (was == s.OPEN)):
        held[card] = False  # given back in open view
    held |= (was == other) & ((now == s.TABLE) | (now == s.OPEN))
    for _ in range(int(((was == other) & (now == s.BURIED)).sum())):
        if not buried.any():
            return None
        card = rng.choice(np.flatnonzero(buried))
        buried[card], held[card] = False, True
    for _ in range(int(((was == s.DECK) & (now == other)).sum())):
        if not held.any():
            return None
        held[rng.choice(np.flatnonzero(held))] = False
    where, by = was.copy(), before["buried_by"].copy()
    unseen = (was == other) | (was == s.DECK) | ((was == s.BURIED) & (by == other))
    where[unseen], by[unseen] = s.DECK, s.NOBODY
    where[held], where[buried], by[buried] = other, s.BURIED, other
    endings = before["ending"].copy()
    same = before["ending"][other] == after["ending"][other]
    endings[other, same] = world["ending"][other, same]
    knows = before["ending_known"].copy()
    knows[endings[other][same & (endings[other] < len(knows))]] |= 1 << other
    fits = (where == other).sum() == (was == other).sum()
    return {"where": where, "buried_by": by, "ending": endings, "ending_known": knows} if fits else None


def estafado(world: np.void, before: np.void, after: np.void, seat: int, rng: np.random.Generator) -> Fields | None:
    """Do the same in *Estafado*."""
    fields: Fields = {}
    for name, known in (("cards", before["known"][seat] == 1), ("hand", False), ("pile", False)):
        was, now, there = before[name], after[name], world[name].copy()
        moved = np.flatnonzero(was != now)
        if name == "cards" and len(moved) == 2 and (was[moved] == now[moved[::-1]]).all():
            there[moved] = there[moved[::-1]]
        elif (name == "cards" and not known[moved].all()) or (name == "pile" and len(moved)):
            return None
        else:  # a card that the fox plays is public
            there[moved] = was[moved]
        fields[name] = np.where(known, was, there)
    return fields


# Actions that the other seat does not see: passing over a reaction, of which it does not know, and hidden discards.
UNSEEN = {
    "corre_el_encierro": (runs.A_NOTHING,),
    "erase_una_vez": (s.A_NOTHING, *range(s.A_DISCARD, s.A_DISCARD + NUM_ELEMENTS)),
}
PAST = {"corre_el_encierro": encierro, "erase_una_vez": erase, "estafado": estafado}


def log_weights(
    game: Game, plies: list[Ply], worlds: np.ndarray, policy: Bot, slips: tuple[float, ...], pinned: int = 0
) -> tuple[np.ndarray, int]:
    """Return `(len(slips), K)` log-likelihoods of the other seat's actions before the last ply, and their number.

    `worlds` fit that ply and are overwritten with their past; of the first `pinned` of them this is the true past.
    """
    seat, kernels, rng, count = plies[-1].seat, table_kernels(game), np.random.default_rng(0), 0
    weights, lost = np.zeros((len(slips), len(worlds))), np.zeros(len(worlds), bool)
    seen = np.zeros((len(worlds), game.layout.size), np.float32)
    masks = np.zeros((len(worlds), game.num_actions), np.int8)
    for place in range(len(plies) - 2, -1, -1):
        before, after, action = plies[place].states[0], plies[place + 1].states[0], plies[place].action
        pasts = [PAST[game.name](world, before, after, seat, rng) for world in worlds[pinned:]]
        worlds[:] = before
        for number, fields in enumerate(pasts, pinned):
            lost[number] |= fields is None
            for name, values in (fields or {}).items():
                worlds[name][number] = values
        if lost.mean() > LOST or count == ACTIONS:
            break
        if plies[place].seat == seat or action in UNSEEN.get(game.name, ()):
            continue
        for number in range(len(worlds)):
            kernels.observe(worlds[number : number + 1], plies[place].seat, seen[number])
            kernels.legal(worlds[number : number + 1], masks[number])
        chosen = np.where(masks > 0, policy.logits(seen, masks), -np.inf).argmax(1) == action
        for row, slip in enumerate(slips):
            chances = slip / np.maximum(masks.sum(1), 2) + (1 - slip) * chosen
            weights[row] += np.log(np.where((masks[:, action] > 0) & ~lost, chances, IMPOSSIBLE))
        count += 1
    return weights, count
