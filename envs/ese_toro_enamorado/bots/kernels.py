"""Two scripted bots for *Ese Toro enamorado*: kernels from an observation, its mask and a stream to an action.

`simple` lays its tiles at random, and by night takes the quickest way to the moon that avoids the fences
that it knows.

`strong` uses that the first encounter ends the round, so that only the first bulls at the moon count. For each
legal tile or move it finds every seat's first possible encounter, and its own later ones,
in each arrangement of the unknown tiles, and takes the action of the highest mean value. The value of an encounter is
the marker, by how near it brings its owner to victory, and the shore at which the next rounds would start.
"""

import numpy as np

from sobremesa.envs.core.blocks import empty, powers
from sobremesa.envs.core.chance import below, pick
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.ese_toro_enamorado import board as b, state as s
from sobremesa.envs.ese_toro_enamorado.bots.paths import NEVER, around, first_of, meetings
from sobremesa.envs.ese_toro_enamorado.bots.view import VIEW, appraise
from sobremesa.envs.ese_toro_enamorado.observe import SEEN, decode

_WEIGHED = 9  # worlds: all there are of up to two tiles that I do not know, as many guesses at more
_GUESS = -1  # no world in particular
_DAY_DOUBT, _NIGHT_DOUBT, _NEW_DOUBT = 0, 1, 2
# What is left of a chance for a seat that would come so many vueltas later than the first, (doubts, vueltas)
_CHANCES = np.array([powers(chance, NEVER + 1) for chance in (0.35, 0.03, 0.25)])
_WAITING = 1e-3  # cost of half a vuelta of waiting: enough to settle ties
_EVERYWHERE = -1  # a tile that may change everybody's way


@kernel
def simple(observation, mask, stream):
    """Lay tiles at random; by night take the quickest way to the moon."""
    seen = scratch(1, SEEN)[0]
    decode(observation, seen)
    if seen.stage in (s.CHOOSE, s.DAY):
        return pick(stream, mask)
    fences = 0 if seen.phase == b.FULL else seen.known[b.FENCE]
    best, soonest = s.A_STAY, 1000
    for action in range(s.A_GO, s.A_STAY + 1):
        if mask[action]:
            node = seen.bull[0] if action == s.A_STAY else action - s.A_GO
            times, _ = meetings(seen.board, 1 << node, True, seen.moon, seen.lily, fences, 0, 0, 0, 0)
            time = first_of(times)
            if time < soonest:
                best, soonest = action, time
    return best


@kernel
def strong(observation, mask, stream):
    """Take the action of the highest value, given the earliest encounters of the others."""
    views = scratch(1, VIEW)
    empty(views)
    view = views[0]
    decode(observation, view)
    return _choose(view, mask, stream) if view.stage == s.CHOOSE else _weigh(view, mask, stream)


@kernel
def _weigh(view, mask, stream):
    worth, tiles = scratch(s.NUM_ACTIONS, np.float64), scratch(b.NUM_LAND_KINDS, np.int64)
    worth[:] = 0
    appraise(view)
    worlds = 1
    unknown = view.unknown
    while unknown:
        unknown &= unknown - 1
        worlds *= b.NUM_LAND_KINDS
    for world in range(min(worlds, _WEIGHED)):
        weight = _imagine(view, tiles, world if worlds <= _WEIGHED else _GUESS, stream)
        if weight == 0:
            continue
        if view.stage == s.DAY:
            _weigh_tiles(view, mask, tiles, weight, worth)
        else:
            _weigh_moves(view, mask, tiles, weight, worth)
    return _best(worth, mask, stream)


@kernel
def _choose(view, mask, stream):
    """Choose a mountain just before another's on the moon's way: it wins more (of two, up to seven deals in ten)."""
    worth = scratch(s.NUM_ACTIONS, np.float64)
    worth[:] = 0
    taken = 0
    for seat in range(view.seats):
        if view.home[seat] != b.NO_MOUNTAIN:
            taken |= 1 << view.home[seat]
    for mountain in range(b.NUM_MOUNTAINS):
        after, before = (taken >> (mountain + 1) % b.NUM_MOUNTAINS) & 1, (taken >> (mountain + 3) % b.NUM_MOUNTAINS) & 1
        worth[s.A_CHOOSE + mountain] = after - before
        if view.seats == 3 and view.board == b.SMALL:  # no place is better than another
            worth[s.A_CHOOSE + mountain] = 0
        elif view.seats == 3 and taken & (taken - 1) == 0:  # the second of three does best across from the first
            worth[s.A_CHOOSE + mountain] = -after - before
    return _best(worth, mask, stream)


@kernel
def _best(worth, mask, stream):
    """Return the legal action of the highest value; ties are broken at random."""
    best, equals = mask.shape[0], 0
    for action in range(mask.shape[0]):
        if not mask[action]:
            continue
        if best == mask.shape[0] or worth[action] > worth[best] + 1e-9:
            best, equals = action, 1
        elif worth[action] > worth[best] - 1e-9:
            equals += 1
            if below(stream, equals) == 0:
                best = action
    return best


@kernel
def _imagine(view, tiles, world, stream):
    """Write the positions of each kind of tile in a world into `tiles`, and return its probability.

    The base-3 digits of `world` are the kinds of the unknown tiles; _GUESS samples them.
    """
    left = scratch(b.NUM_LAND_KINDS, np.int64)
    for kind in range(b.NUM_LAND_KINDS):
        tiles[kind], left[kind] = view.known[kind], view.unseen[kind]
    likely = 1.0
    unknown = view.unknown
    while unknown:
        node = unknown & -unknown
        unknown &= ~node
        total = left[b.FENCE] + left[b.POPPY] + left[b.ROSEMARY]
        if total == 0:
            break
        if world == _GUESS:
            kind, lot = b.FENCE, below(stream, total)
            while lot >= left[kind]:
                lot -= left[kind]
                kind += 1
        else:
            kind = world % b.NUM_LAND_KINDS
            world //= b.NUM_LAND_KINDS
            likely *= left[kind] / total
        tiles[kind] |= node
        left[kind] -= 1
    return likely


@kernel
def _fences(view, tiles):
    return 0 if view.phase == b.FULL else tiles[b.FENCE]


@kernel
def _poppies(view, tiles):
    return 0 if view.phase == b.NEW else tiles[b.POPPY]


@kernel
def _soonest(view, tiles, lily, seat):
    """Return the time of another seat's first possible encounter, and the nodes that it may pass."""
    if view.scored[seat]:
        return 0, 0
    barred = _fences(view, tiles)
    if view.phase == b.NEW:  # avoid unknown tiles
        barred |= view.hidden & ~view.laid[seat]
    times, passed = meetings(
        view.board, 1 << view.bull[seat], view.moved[seat] == 1, view.moon, lily, barred, _poppies(view, tiles),
        tiles[b.ROSEMARY], view.leap, 0,
    )  # fmt: skip
    return first_of(times), passed


@kernel
def _encounter_times(view, nodes, moved, tiles, lily, times):
    """Return the times of possible encounters from `nodes`, as bits, until the others', and the nodes on the way."""
    until = NEVER
    for seat in range(1, view.seats):
        until = min(until, times[seat])
    return meetings(
        view.board, nodes, moved, view.moon, lily, _fences(view, tiles), _poppies(view, tiles), tiles[b.ROSEMARY],
        view.leap, until,
    )  # fmt: skip


@kernel
def _end(view, time):
    """Return the number of the round's end after an encounter at `time`; equal numbers score alike."""
    if view.round_end == s.MOON_STEPS:
        return time >> 1
    if view.round_end == s.MOON_WAITS:
        return time
    return (view.vuelta + (time >> 1)) // b.NUM_SHORES


@kernel
def _next_shore(view, time):
    """Return the first shore of the next round if this one ends with an encounter at `time`."""
    steps = (time >> 1) + 1
    if view.round_end == s.MOON_WAITS and time & 1 == 0:
        steps -= 1
    elif view.round_end == s.FULL_LAP:
        steps = b.NUM_SHORES - view.vuelta % b.NUM_SHORES
    return (view.moon + steps + 1) % b.NUM_SHORES


@kernel
def _outcome(view, times, doubt):
    """Return the value of first encounters at `times`, one for each seat."""
    soonest = NEVER
    for seat in range(view.seats):
        soonest = min(soonest, times[seat])
    worth = view.outlook[_next_shore(view, soonest)]
    for seat in range(view.seats):
        worth += view.stake[seat] * _CHANCES[doubt, _end(view, times[seat]) - _end(view, soonest)]
    return worth


@kernel
def _best_meeting(view, times, mine, doubt):
    """Return the value of the best of my times `mine`, given those of the others."""
    best = -1e9
    time = 0
    while mine:
        if mine & 1:
            times[0] = time
            best = max(best, _outcome(view, times, doubt) - _WAITING * time)
        mine >>= 1
        time += 1
    if best == -1e9:
        times[0] = NEVER
        best = _outcome(view, times, doubt)
    return best


@kernel
def _night(view, tiles, usual, passed, times):
    """Return the value of the night with `tiles`.

    Write the first encounters of the others and all of mine to `usual`, as bits, and the nodes on the way to `passed`;
    overwrites `times`.
    """
    for seat in range(1, view.seats):
        usual[seat], passed[seat] = _soonest(view, tiles, view.lily, seat)
        times[seat] = usual[seat]
    usual[0], passed[0] = _encounter_times(view, 1 << view.bull[0], False, tiles, view.lily, times)
    return _best_meeting(view, times, usual[0], _DAY_DOUBT)


@kernel
def _night_with(view, tiles, lily, node, unchanged, usual, passed, times):
    """Return the value of the night with one more tile, on `node`."""
    changed = False
    for seat in range(1, view.seats):
        times[seat] = usual[seat]
        if node & passed[seat]:
            times[seat], _ = _soonest(view, tiles, lily, seat)
            changed = changed or times[seat] != usual[seat]
    if not changed and not node & passed[0]:
        return unchanged
    mine, _ = _encounter_times(view, 1 << view.bull[0], False, tiles, lily, times)
    return _best_meeting(view, times, mine, _DAY_DOUBT)


@kernel
def _weigh_tiles(view, mask, tiles, weight, worth):
    """Add the value of the night in this world to the `worth` of laying each tile."""
    usual, passed, times = (
        scratch(b.MAX_SEATS, np.int64),
        scratch(b.MAX_SEATS, np.int64),
        scratch(b.MAX_SEATS, np.int64),
    )
    view.moved[:] = 0
    unchanged = _night(view, tiles, usual, passed, times)
    hidden = view.hidden
    for action in range(s.A_LAY, s.A_LILY):
        if mask[action]:
            kind, node = (action - s.A_LAY) // b.NUM_CROSSINGS, 1 << (b.OUTER + (action - s.A_LAY) % b.NUM_CROSSINGS)
            tiles[kind] |= node
            view.hidden = hidden | node
            worth[action] += weight * _night_with(view, tiles, view.lily, node, unchanged, usual, passed, times)
            tiles[kind] &= ~node
    view.hidden = hidden
    for shore in range(b.NUM_SHORES):
        if mask[s.A_LILY + shore]:
            value = _night_with(view, tiles, shore, _EVERYWHERE, unchanged, usual, passed, times)
            worth[s.A_LILY + shore] += weight * value


@kernel
def _weigh_moves(view, mask, tiles, weight, worth):
    """Add the value of the rest of the night in this world to the `worth` of each move."""
    times = scratch(b.MAX_SEATS, np.int64)
    for seat in range(1, view.seats):
        times[seat], _ = _soonest(view, tiles, view.lily, seat)
    doubt = _NEW_DOUBT if view.phase == b.NEW else _NIGHT_DOUBT
    here, poppies, barred = 1 << view.bull[0], tiles[b.POPPY], _fences(view, tiles)
    for action in range(s.A_GO, s.A_STAY + 1):
        if not mask[action]:
            continue
        nodes = here if action == s.A_STAY else 1 << (action - s.A_GO)
        if nodes & barred:  # one that I do not know of: the bull bounces
            nodes = here
        tiles[b.POPPY] = poppies & ~nodes
        if nodes & tiles[b.ROSEMARY]:
            nodes |= (around(view.board, nodes) | view.leap) & ~barred
        mine, _ = _encounter_times(view, nodes, True, tiles, view.lily, times)
        tiles[b.POPPY] = poppies
        worth[action] += weight * _best_meeting(view, times, 1 if view.scored[0] else mine, doubt)
