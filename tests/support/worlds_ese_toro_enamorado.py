"""Reference sampler of worlds of *Ese Toro enamorado* (see worlds.py).

Shuffle the unseen tiles, and repeat until no lily lies on land.
"""

from worlds import restart

FENCE, POPPY, ROSEMARY, LILY, NO_TILE = range(5)
ALL_TILES = [FENCE] * 3 + [POPPY] * 2 + [ROSEMARY] * 2 + [LILY]
WATER = 28  # the first place on water


def unseen_crossings(table, seat):
    """Return the crossings where a tile lies face down that somebody else has laid."""
    state = table[0]
    laid = [place for place in range(WATER) if state.tile[place] != NO_TILE]
    return [place for place in laid if not state.face_up[place] and state.owner[place] != seat]


def unseen_tiles(table, seat):
    """Return all tiles of the game but those in the hand of `seat`, those it sees on the board and those gone."""
    state = table[0]
    hidden = unseen_crossings(table, seat)
    tiles = list(ALL_TILES)
    for place, kind in enumerate(state.tile.tolist()):
        if kind != NO_TILE and place not in hidden:
            tiles.remove(kind)
    for kind in range(NO_TILE):
        for _ in range(state.hand[seat, kind] + state.gone[kind]):
            tiles.remove(kind)
    return tiles


def sample_world(table, seat, rng):
    """Return a copy of `table` with all that `seat` cannot know dealt anew, each way alike.

    Shuffle the unseen tiles over the hidden crossings, the other hands and the bag, until no lily lies on land.
    """
    world = table.copy()
    state = world[0]
    hidden = unseen_crossings(table, seat)
    tiles = unseen_tiles(table, seat)
    rng.shuffle(tiles)
    while LILY in tiles[: len(hidden)]:
        rng.shuffle(tiles)
    for place in hidden:
        state.tile[place] = tiles.pop(0)
    for other in range(state.seats):
        if other != seat:
            held = int(state.hand[other].sum())
            state.hand[other] = 0
            for _ in range(held):
                state.hand[other, tiles.pop(0)] += 1
    return restart(world, rng)
