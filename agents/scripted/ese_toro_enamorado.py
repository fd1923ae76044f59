"""Two scripted bots for *Ese Toro enamorado*: kernels from an observation, its mask and a stream to an action.

`simple` lays its tiles at random, and by night walks the way on which it can first meet the moon, minding the fences
that it knows of.
"""

import numpy as np

from sobremesa.agents.scripted.ese_toro_paths import NEVER, around, first_of, meetings
from sobremesa.agents.scripted.ese_toro_view import VIEW, draws, read, set_of, which
from sobremesa.envs.core import chance
from sobremesa.envs.core.kernel import kernel
from sobremesa.envs.ese_toro_enamorado.board import (
    FENCE,
    FULL,
    LILY,
    NEW,
    NUM_CROSSINGS,
    NUM_MOUNTAINS,
    NUM_NODES,
    NUM_SHORES,
    OUTER,
    POPPY,
    ROSEMARY,
)
from sobremesa.envs.ese_toro_enamorado.observe import LAYOUT
from sobremesa.envs.ese_toro_enamorado.rules import (
    A_CHOOSE,
    A_GO,
    A_LAY,
    A_LILY,
    A_STAY,
    DAY,
    FULL_LAP,
    MAX_SEATS,
    MOON_STEPS,
    MOON_WAITS,
    NIGHT,
)

_below, _pick = chance.below, chance.pick

_BULLS, _KNOWN, _MOON, _LILY = (LAYOUT.start(name) for name in ("bulls", "known_tiles", "moon", "lily"))
_PHASE, _STAGE, _SETUP = (LAYOUT.start(name) for name in ("phase", "stage", "setup"))
_HOMES, _PRESENT = LAYOUT.start("homes"), LAYOUT.start("present")


@kernel
def simple(observation, mask, stream):
    """Lay tiles at random; by night take the way on which the moon can first be met."""
    if observation[_STAGE] > 0 or observation[_STAGE + DAY] > 0:
        return _pick(stream, mask)
    board = int(observation[_SETUP])
    here = which(observation, _BULLS, NUM_NODES)
    moon, lily = which(observation, _MOON, NUM_SHORES), which(observation, _LILY, NUM_SHORES)
    fences = 0 if observation[_PHASE + FULL] > 0 else set_of(observation, _KNOWN + FENCE * NUM_NODES, NUM_NODES)
    best, soonest = A_STAY, 1000
    for action in range(A_GO, A_STAY + 1):
        if mask[action]:
            node = here if action == A_STAY else action - A_GO
            times, _ = meetings(board, 1 << node, True, moon, lily, fences, 0, 0, 0, 0)
            time = first_of(times)
            if time < soonest:
                best, soonest = action, time
    return best


_WEIGHED = 9  # worlds: all there are of up to two tiles that I do not know, as many guesses at more
_GUESS = -1  # no world in particular
_DAY_DOUBT, _NIGHT_DOUBT, _NEW_DOUBT = 0, 1, 2
# What is left of a chance by the vuelta that one comes later, by doubt
_CHANCES = np.array([0.35, 0.03, 0.25])[:, None] ** np.arange(NEVER + 1)
_LATER = 1e-3  # what a vuelta of waiting costs, to settle ties


@kernel
def strong(observation, mask, stream):
    """Take the action that is worth most, given the earliest meetings of the others."""
    if observation[_STAGE] > 0:
        return _choose(observation, mask, stream)
    view = np.zeros(1, VIEW)[0]
    read(observation, view)
    worth = np.zeros(mask.shape[0])
    tiles = np.empty(LILY, np.int64)
    worlds = 1
    unknown = view.unknown
    while unknown:
        unknown &= unknown - 1
        worlds *= LILY
    for world in range(min(worlds, _WEIGHED)):
        weight = imagine(view, tiles, world if worlds <= _WEIGHED else _GUESS, stream)
        if weight == 0:
            continue
        if view.stage == DAY:
            _weigh_tiles(view, mask, tiles, weight, worth)
        else:
            _weigh_moves(view, mask, tiles, weight, worth)
    return _best(worth, mask, stream)


@kernel
def _choose(observation, mask, stream):
    """Choose a mountain one before another's on the moon's way: whoever lives so wins seven deals out of ten."""
    worth = np.zeros(mask.shape[0])
    taken, seats = _set_of_homes(observation), 0
    for seat in range(MAX_SEATS):
        seats += observation[_PRESENT + seat] > 0
    for mountain in range(NUM_MOUNTAINS):
        after, before = (taken >> (mountain + 1) % NUM_MOUNTAINS) & 1, (taken >> (mountain + 3) % NUM_MOUNTAINS) & 1
        worth[A_CHOOSE + mountain] = after - before
        if seats == 3 and taken & (taken - 1) == 0:  # of three, the second does best across from the first
            worth[A_CHOOSE + mountain] = -after - before
    return _best(worth, mask, stream)


@kernel
def _set_of_homes(observation):
    taken = 0
    for seat in range(MAX_SEATS):
        taken |= set_of(observation, _HOMES + seat * NUM_MOUNTAINS, NUM_MOUNTAINS)
    return taken


@kernel
def _best(worth, mask, stream):
    """Return the legal action of most worth, drawing lots between equals."""
    best, equals = mask.shape[0], 0
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue
        if best == mask.shape[0] or worth[action] > worth[best] + 1e-9:
            best, equals = action, 1
        elif worth[action] > worth[best] - 1e-9:
            equals += 1
            if _below(stream, equals) == 0:
                best = action
    return best


@kernel
def imagine(view, tiles, world, stream):
    """Write into `tiles` where those of each kind lie in a world, and return how likely that one is.

    The digits of `world`, in threes, are the kinds of the tiles that I do not know; _GUESS draws them.
    """
    tiles[:] = view.known
    left = view.unseen.copy()
    likely = 1.0
    unknown = view.unknown
    while unknown:
        node = unknown & -unknown
        unknown &= ~node
        total = left[FENCE] + left[POPPY] + left[ROSEMARY]
        if world == _GUESS:
            kind, lot = FENCE, _below(stream, total)
            while lot >= left[kind]:
                lot -= left[kind]
                kind += 1
        else:
            kind = world % LILY
            world //= LILY
            likely *= left[kind] / total
        tiles[kind] |= node
        left[kind] -= 1
        if likely == 0:
            break
    return likely


@kernel
def _soonest(view, tiles, lily, seat):
    """Return the time at which another seat can first meet the moon, and the nodes it may pass on the way."""
    if view.scored[seat]:
        return 0, 0
    barred, poppies = tiles[FENCE], tiles[POPPY]
    if view.phase == FULL:
        barred = 0
    elif view.phase == NEW:  # nobody likes to walk into what he does not know
        poppies = 0
        barred |= view.hidden & ~view.laid[seat]
    times, seen = meetings(
        view.board, 1 << view.bull[seat], view.moved[seat] == 1, view.moon, lily, barred, poppies, tiles[ROSEMARY],
        view.leap, 0,
    )  # fmt: skip
    return first_of(times), seen


@kernel
def _end(view, time):
    """Return the number of the end of the round that a meeting at `time` brings about: equal numbers score alike."""
    if view.round_end == MOON_STEPS:
        return time >> 1
    if view.round_end == MOON_WAITS:
        return time
    return (view.vuelta + (time >> 1)) // NUM_SHORES


@kernel
def _next_shore(view, time):
    """Return the shore at which the next round begins if this one ends with a meeting at `time`."""
    steps = (time >> 1) + 1
    if view.round_end == MOON_WAITS and time & 1 == 0:
        steps -= 1
    elif view.round_end == FULL_LAP:
        steps = NUM_SHORES - view.vuelta % NUM_SHORES
    return (view.moon + steps + 1) % NUM_SHORES


@kernel
def _outcome(view, times, doubt):
    """Return what it is worth to me that the seats can first meet the moon at `times`."""
    soonest = NEVER
    for seat in range(view.seats):
        soonest = min(soonest, times[seat])
    worth = view.outlook[_next_shore(view, soonest)]
    for seat in range(view.seats):
        worth += view.stake[seat] * _CHANCES[doubt, _end(view, times[seat]) - _end(view, soonest)]
    return worth


@kernel
def _best_meeting(view, times, mine, doubt):
    """Return what my best choice among the times `mine` is worth, given those of the others."""
    best = -1e9
    time = 0
    while mine:
        if mine & 1:
            times[0] = time
            best = max(best, _outcome(view, times, doubt) - _LATER * time)
        mine >>= 1
        time += 1
    if best == -1e9:
        times[0] = NEVER
        best = _outcome(view, times, doubt)
    return best


@kernel
def _mine(view, nodes, moved, tiles, lily, barred, until):
    """Return the times at which I can meet the moon from `nodes`, and the nodes that I may pass on the way."""
    poppies = tiles[POPPY] if draws(view) else 0
    return meetings(
        view.board, nodes, moved, view.moon, lily, barred, poppies, tiles[ROSEMARY], view.leap, until
    )


@kernel
def _earliest(view, times):
    """Return the first meeting of the others."""
    soonest = NEVER
    for seat in range(1, view.seats):
        soonest = min(soonest, times[seat])
    return soonest


@kernel
def _prospect(view, tiles, lily, base, times, node):
    """Return what the night is worth to me with a tile on `node` that `base` does not know of yet.

    `node` 0 is for the first call, which fills `base`: the times of all, mine as bits, and the nodes each may pass.
    """
    changed = node == 0
    for seat in range(1, view.seats):
        times[seat] = base[0, seat]
        if node == 0 or node & base[1, seat]:
            times[seat], seen = _soonest(view, tiles, lily, seat)
            changed = changed or times[seat] != base[0, seat]
            if node == 0:
                base[0, seat], base[1, seat] = times[seat], seen
    mine, seen = base[0, 0], base[1, 0]
    if changed or node & seen:
        barred = 0 if view.phase == FULL else tiles[FENCE]
        mine, seen = _mine(view, 1 << view.bull[0], False, tiles, lily, barred, _earliest(view, times))
        if node == 0:
            base[0, 0], base[1, 0] = mine, seen
    elif not changed:
        return -1e9
    return _best_meeting(view, times, mine, _DAY_DOUBT)


@kernel
def _weigh_tiles(view, mask, tiles, weight, worth):
    """Add to `worth` of each tile and place what the night would then be worth."""
    times, base = np.empty(MAX_SEATS, np.int64), np.zeros((2, MAX_SEATS), np.int64)
    view.moved[:] = 0
    hidden, laid = view.hidden, view.laid[0]
    unchanged = _prospect(view, tiles, view.lily, base, times, 0)
    for action in range(A_LAY, A_LILY):
        if mask[action]:
            kind, node = (action - A_LAY) // NUM_CROSSINGS, 1 << (OUTER + (action - A_LAY) % NUM_CROSSINGS)
            tiles[kind] |= node
            view.hidden, view.laid[0] = hidden | node, laid | node
            value = _prospect(view, tiles, view.lily, base, times, node)
            worth[action] += weight * (value if value > -1e8 else unchanged)
            tiles[kind] &= ~node
    view.hidden, view.laid[0] = hidden, laid
    for action in range(A_LILY, A_LILY + NUM_SHORES):
        if mask[action]:
            worth[action] += weight * _prospect(view, tiles, action - A_LILY, base, times, -1)


@kernel
def _weigh_moves(view, mask, tiles, weight, worth):
    """Add to `worth` of each move what the night is worth after it."""
    times = np.empty(MAX_SEATS, np.int64)
    for seat in range(1, view.seats):
        times[seat], _ = _soonest(view, tiles, view.lily, seat)
    until = _earliest(view, times)
    barred = 0 if view.phase == FULL else tiles[FENCE]
    doubt = _NEW_DOUBT if view.phase == NEW else _NIGHT_DOUBT
    for action in range(A_GO, A_STAY + 1):
        if not mask[action]:
            continue
        nodes = 1 << view.bull[0] if action == A_STAY else 1 << (action - A_GO)
        if nodes & barred:  # it turns out to be a fence, and the bull bounces
            nodes = 1 << view.bull[0]
        eaten = nodes & (tiles[POPPY] | tiles[ROSEMARY])
        if nodes & tiles[ROSEMARY]:
            nodes |= (around(view.board, nodes) | view.leap) & ~barred
        poppies = tiles[POPPY]
        tiles[POPPY] &= ~eaten
        mine, _ = _mine(view, nodes, True, tiles, view.lily, barred, until)
        tiles[POPPY] = poppies
        if view.scored[0]:
            mine = 1
        worth[action] += weight * _best_meeting(view, times, mine, doubt)
