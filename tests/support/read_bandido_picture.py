"""Pictures of *Bandido Alcatraz* read back, and what lies on top, from the list of cards alone."""

import re

from sobremesa.envs.bandido_alcatraz.cards import CARDS, EASY_TILE, NUM_KINDS

SVG = "{http://www.w3.org/2000/svg}"
NORTH_TO_WEST = ((0, -50), (50, 0), (0, 50), (-50, 0))  # the middle of each side of a half


def titles(root):
    return [one.text for one in root.iter(f"{SVG}title")]


def words(root):
    return " ".join(root.itertext())


def network(root):
    return next(one for one in root.iter(f"{SVG}g") if one.get("class") == "network")


def untitled_shapes(root):
    """Return the shapes that belong to no thing with a title, so that nothing explains them."""
    if root.find(f"{SVG}title") is not None:
        return []
    shapes = [one for one in root if one.tag != f"{SVG}g" and one.tag != f"{SVG}text"]
    return shapes + [shape for group in root.iterfind(f"{SVG}g") for shape in untitled_shapes(group)]


def areas(root):
    """Return the areas of things with a title that hold for the gaps too: left, top, across, down, by title."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        if title is not None and len(group) > 1 and group[1].get("fill-opacity") == "0":
            found[title.text] = tuple(float(group[1].get(name)) for name in ("x", "y", "width", "height"))
    return found


def places_listed(root):
    """Return the places that are written below each card in hand, by slot."""
    found = {}
    for group in root.iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        name = re.match(r"card (\d+): ", title.text) if title is not None else None
        if name:
            told = " ".join(one.text for one in group.iter(f"{SVG}text")).replace("fits nowhere", "")
            found[int(name.group(1)) - 1] = told.partition("fits ")[2].split()
    return found


def spots(root, word):
    """Return where numbered things stand, in halves of 100, by their number."""
    found = {}
    for group in network(root).iter(f"{SVG}g"):
        title = group.find(f"{SVG}title")
        if title is not None and re.fullmatch(rf"{word} \d+", title.text):
            x, y = re.match(r"translate\((\S+) (\S+?)\)", group[1].get("transform")).groups()
            found[int(title.text.split()[1])] = (float(x), float(y))
    return found


def tops(state):
    """Return by cell what lies on top there: its tunnels as sides, the side of the other half, flooded or not."""
    found = {}
    for number in range(int(state.laid)):
        kind, turn = int(state.laid_kind[number]), int(state.laid_turn[number])
        if kind < NUM_KINDS:
            one, other, wet = CARDS[kind].a, CARDS[kind].b, CARDS[kind].flooded
        else:
            one, other, wet = ("NS" if kind == EASY_TILE else "WNS"), "NES", 2
        x, y = int(state.laid_x[number]), int(state.laid_y[number])
        for half, sides in enumerate((one, other)):
            link = ((1, 3)[half] + turn) % 4
            found[x, y] = ({("NESW".index(side) + turn) % 4 for side in sides}, link, wet == half)
            step = NORTH_TO_WEST[link]
            x, y = x + step[0] // 50, y + step[1] // 50
    return found


def ways_through(state, wet):
    """Return where each tunnel begins and ends, in halves of 100, those under water or the others."""
    ways = []
    for (x, y), (sides, link, flooded) in tops(state).items():
        if flooded != wet:
            continue
        end = NORTH_TO_WEST[link]
        pairs = [(NORTH_TO_WEST[side], end) for side in sides] or [(end, (0, 0))]
        ways += [place(x, y, *pair) for pair in pairs]
    return sorted(ways)


def place(x, y, one, other):
    return (100 * x + one[0], 100 * y + one[1], 100 * x + other[0], 100 * y + other[1])


def drawn_ways(root, name):
    """Return where each tunnel that is drawn begins and ends."""
    ways = []
    for path in network(root).iter(f"{SVG}path"):
        if path.get("class") == name:
            for x, y, run in re.findall(r"M(-?\d+) (-?\d+)([lq][-\d ]+)", path.get("d")):
                across, down = run[1:].split()[-2:]
                ways.append((int(x), int(y), int(x) + int(across), int(y) + int(down)))
    return sorted(ways)
