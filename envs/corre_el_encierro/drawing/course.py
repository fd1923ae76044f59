"""The middle of the picture of *Corre el encierro*: course, runners, the card being resolved, and piles.

A layout says where each is, so that the wide and the narrow picture share the drawings.
"""

from typing import Any, NamedTuple

from sobremesa.envs.core.picture.drawing import place, text, titled
from sobremesa.envs.core.wording import Box
from sobremesa.envs.corre_el_encierro import cards as c
from sobremesa.envs.corre_el_encierro.cards import is_shown_on_draw
from sobremesa.envs.corre_el_encierro.drawing import cards, pieces
from sobremesa.envs.corre_el_encierro.drawing.pieces import FAINT, GOLD, INK, RED
from sobremesa.envs.corre_el_encierro.state import BEHIND, NOBODY, OUT, PLAYING, WARNED
from sobremesa.envs.corre_el_encierro.text.cards import card_name
from sobremesa.envs.corre_el_encierro.text.scene import ENDINGS, WORDS

ORANGE = "#e8890c"


class Layout(NamedTuple):
    """Where the parts of the middle are."""

    course: tuple[tuple[int, int], ...]  # the middle of each location
    middle: tuple[int, int]  # of the card that is being resolved
    pile: tuple[int, int]  # its corner
    discards: tuple[int, int]
    left: tuple[float, float]  # the bulls and falls that may still come: the first one, and from one to the next
    token: float  # scale of a runner
    room: float  # for the runners on a location, across


class Places(NamedTuple):
    """The boxes of things that the seat to act can point at, in one of the pictures."""

    hand: list[Box]
    special: Box
    objects: Box  # that it still has
    pile: Box
    locations: list[Box]
    persons: dict[int, Box]  # the other runners, where their belongings lie
    tokens: dict[int, Box]  # those on the course


WIDE = Layout(pieces.COURSE, (425, 313), (556, 250), (672, 250), (548, 27), 1.0, 200.0)
# Three locations abreast, there and back; the last one stands next to the card.
NARROW = Layout(
    ((97, 56), (279, 56), (461, 56), (461, 174), (279, 174), (97, 174), (103, 300)),
    (290, 336), (377, 290), (467, 290), (371, 20.5), 1.2, 152.0,
)  # fmt: skip


def middle_places(state: Any, layout: Layout) -> tuple[Box, list[Box], dict[int, Box]]:
    """Return the boxes of the pile, of the locations, and of the runners on them."""
    wide, high, half = pieces.TILE_WIDTH, pieces.TILE_HEIGHT, 17.0 * layout.token
    pile = (layout.pile[0], layout.pile[1] - 15.0, 84.0, 131.0)
    locations = [(x - wide / 2, y - high / 2, float(wide), float(high)) for x, y in layout.course]
    spots = runner_spots(state, layout).items()
    return pile, locations, {seat: (x - half, y - half, 2 * half, 2 * half) for seat, (x, y) in spots}


# What stands in a state, in the terms of the picture.


def struck_seat(state: Any) -> int:
    """Return the present target of a card, which is public, or `NOBODY` (C5.1, C6.1)."""
    return NOBODY if state.over else int(state.struck)


def waiting_seats(state: Any) -> list[int]:
    """Return the next runners that the card will hit, in order."""
    if struck_seat(state) == NOBODY:
        return []
    return [int(seat) for seat in state.queue if seat != NOBODY and state.status[seat] != OUT]


def threatened_seats(state: Any) -> list[int]:
    """Return the runners on the location of the sweep (C9.1)."""
    if state.over or not state.closing:
        return []
    return [seat for seat in range(int(state.seats)) if int(state.place[seat]) == int(state.closed)]


# The course.


def course(state: Any, layout: Layout, word: str) -> str:
    """Draw the seven locations, those turned down closed, the Cabestros on the last of them (C9.1)."""
    closed, occupied = int(state.closed), bool(threatened_seats(state))
    drawn = []
    for number in range(1, c.NUM_LOCATIONS + 1):
        nailed = not (number == closed and occupied)
        shape = pieces.location(number) if number > closed else pieces.closed_location(number, word, nailed)
        if number == closed:
            herd = place(-50, -1, pieces.ox_head(), 0.62) + place(50, -1, pieces.ox_head(), 0.62)
            shape += herd + place(0, 0, pieces.ox_head(), 0.7)
        drawn.append(place(*layout.course[number - 1], shape))
    return "".join(drawn)


def runner_spots(state: Any, layout: Layout) -> dict[int, tuple[float, float]]:
    """Return the position of each runner in the picture, without those who are out."""
    spots: dict[int, tuple[float, float]] = {}
    for number in range(1, c.NUM_LOCATIONS + 1):
        here = [seat for seat in range(int(state.seats)) if int(state.place[seat]) == number]
        x, y = layout.course[number - 1]
        step = min(33.5 * layout.token, layout.room / max(1, len(here)))
        foot = y + (10 if number == c.LAST_LOCATION else 27)
        for order, seat in enumerate(here):
            spots[seat] = (x + step * (order - (len(here) - 1) / 2), foot)
    return spots


def runners(state: Any, layout: Layout, language: str) -> str:
    """Draw the runners on their locations, with marks on those behind the barrier, struck, waiting or threatened."""
    struck, waiting, threatened = struck_seat(state), waiting_seats(state), threatened_seats(state)
    drawn: list[str] = []
    alarms: list[str] = []
    for seat, (x, y) in runner_spots(state, layout).items():
        shape = titled(WORDS[language]["runner"].format(seat + 1), pieces.runner(seat))
        if seat == struck:
            shape = pieces.burst(25) + shape
        elif state.over and state.winner[seat]:
            shape = f'<circle r="22" fill="{GOLD}" fill-opacity=".7" stroke="#fff" stroke-width="2"/>{shape}'
        if int(state.status[seat]) == BEHIND:
            shape += place(0, 14, pieces.fence(44), 0.8)
        elif int(state.status[seat]) == WARNED:
            shape += place(0, 18, pieces.fence(26), 0.6)
        if seat in waiting or seat in threatened:
            alarms.append(place(x + 10, y - 14, pieces.alarm(ORANGE if seat in waiting else RED)))
        drawn.insert(0 if seat == struck else len(drawn), place(x, y, shape, layout.token, f"runner-{seat}"))
    return "".join(drawn + alarms)


def _way(spot: tuple[float, float], layout: Layout, aside: float) -> tuple[str, str, str]:
    """Return how a card flies between the middle and a runner: where it leaves, how it bends, where it arrives."""
    (x, y), (middle, level) = spot, layout.middle
    if y > level - 63:  # a location next to the middle: from below
        return f"{middle - 60},{level + 70 + aside:g}", f"{x:.1f},{level + 125}", f"{x:.1f},{y + 22:.1f}"
    side = 50 if x > middle else -50
    return f"{middle + side + aside:g},{level - 78}", f"{x:.1f},{y + 56:.1f}", f"{x:.1f},{y + 22:.1f}"


def flight(state: Any, layout: Layout) -> str:
    """Draw the way of the card that is being resolved, from its sender or the pile to its target."""
    struck, sender = struck_seat(state), int(state.sender)
    if struck == NOBODY:
        return ""
    spots = runner_spots(state, layout)
    leaves, bend, arrives = _way(spots[struck], layout, -8)
    drawn = [
        '<defs><marker id="encierro-tip" viewBox="0 0 10 10" refX="7" refY="5" markerWidth="3.2" markerHeight="3.2" '
        f'orient="auto"><path d="M0,0 L10,5 L0,10 Z" fill="{RED}"/></marker></defs>'
    ]
    if sender != NOBODY and sender in spots:
        end, curve, start = _way(spots[sender], layout, 14)
        colour = pieces.SEAT_COLOURS[sender]
        for stroke, thick, dash in ((INK, 8, ""), (colour, 5.5, ""), ("#fff", 1.6, ' stroke-dasharray="7 7"')):
            drawn.append(
                f'<path d="M{start} Q{curve} {end}" fill="none" stroke="{stroke}" stroke-width="{thick}"{dash}/>'
            )
    elif sender == NOBODY:
        y = layout.middle[1] - 8
        drawn.append(
            f'<path d="M{layout.pile[0] + 8},{y} H{layout.middle[0] + 40}" stroke="{RED}" stroke-width="7" '
            'stroke-dasharray="9 5"/>'
        )
    drawn.append(f'<path d="M{leaves} Q{bend} {arrives}" fill="none" stroke="#fff" stroke-width="10"/>')
    drawn.append(
        f'<path d="M{leaves} Q{bend} {arrives}" fill="none" stroke="{RED}" stroke-width="6.5" '
        'marker-end="url(#encierro-tip)"/>'
    )
    return "".join(drawn)


# The middle of the table.


def middle(state: Any, layout: Layout, language: str) -> str:
    """Draw the card that is being resolved, the passing Cabestros, the winner, or the turn."""
    if state.over:
        return place(*layout.middle, _winner_sign(state, language))
    if struck_seat(state) != NOBODY:
        face = cards.big_face(int(state.card), language)
        return place(*layout.middle, face + place(0, 117, _order(state)), piece="card")
    if state.closing:
        closes = WORDS[language]["closes"].format(c.LOCATION_NAMES[int(state.closed) - 1])
        return place(*layout.middle, cards.big_cabestros(WORDS[language]["steers"], closes))
    return place(*layout.middle, _turn_sign(state, language))


def _order(state: Any) -> str:
    """Draw in a row the source of the card, its target, and its next targets."""
    struck, waiting, sender = struck_seat(state), waiting_seats(state), int(state.sender)
    source = pieces.MARKS["pile"] if sender == NOBODY else pieces.runner(sender, 13)
    arrow = f'<path d="M-11,-3 H2 V-8 L12,0 L2,8 V3 H-11 Z" fill="{RED}"/>'
    row = [source, arrow, place(0, 0, pieces.burst(18)) + pieces.runner(struck, 13)]
    for seat in waiting:
        row.append(pieces.runner(seat, 13) + place(9, -10, pieces.alarm(ORANGE), 0.8))
    left = -18.0 * (len(row) - 1)
    return "".join(place(left + 36 * spot, 0, shape) for spot, shape in enumerate(row))


def _turn_sign(state: Any, language: str) -> str:
    """Draw the public state of the turn."""
    words = WORDS[language]
    does = words["plays"] if int(state.phase) == PLAYING else words["draws" if state.drawn else "discards"]
    token = titled(words["runner"].format(int(state.turn)), pieces.runner(int(state.turn), 34))
    inside = place(0, -8, token) + text(0, 56, does, 18, INK, room=148)
    if state.moved:
        inside += text(0, 78, words["moved"], 13.5, FAINT, room=148)
    return cards.sign(inside)


def _winner_sign(state: Any, language: str) -> str:
    winners = [seat for seat in range(int(state.seats)) if state.winner[seat]]
    step = min(50, 120 / len(winners))
    tokens = (
        place(step * (order - (len(winners) - 1) / 2), -14, pieces.runner(seat, 34 if len(winners) == 1 else 22))
        for order, seat in enumerate(winners)
    )
    ending = ENDINGS[language][int(state.ending)]
    return cards.sign(
        place(0, -12, pieces.burst(58))
        + "".join(tokens)
        + text(0, 68, winning_words(winners, language), 17, RED, room=150)
        + text(0, 85, ending, 12.5, INK, room=150)
    )


def winning_words(winners: list[int], language: str) -> str:
    """Return the sentence that names the winners."""
    words = WORDS[language]
    signs = [str(seat + 1) for seat in winners]
    if len(signs) == 1:
        return words["sole"].format(signs[0])
    return words["shared"].format(", ".join(signs[:-1]) + words["and"] + signs[-1])


def piles(state: Any, layout: Layout, language: str) -> str:
    """Draw the pile, the discard pile, and the bulls and falls that may still come (C5.1)."""
    words, room = WORDS[language], layout.discards[0] - layout.pile[0] - 4
    drawn = [place(*layout.pile, titled(words["pile"], cards.draw_pile(int(state.pile_size), words["steers"])))]
    discards = cards.discard_pile(int(state.discards.sum()))
    drawn.append(place(*layout.discards, titled(words["discard pile"], discards)))
    drawn.append(text(layout.pile[0] + 42, layout.pile[1] + 132, words["pile"], 18, INK, room=room))
    drawn.append(text(layout.discards[0] + 42, layout.discards[1] + 132, words["discard pile"], 18, INK, room=room))
    size = 0.54
    half = round(layout.left[1] / size / 2)  # half the width that a picture has to be pointed at
    for order, kind in enumerate(filter(is_shown_on_draw, range(c.NUM_CARDS))):
        gone = bool(state.discards[kind]) or int(state.card) == kind
        shape = f'<g opacity=".22">{cards.picture(kind)}</g>' if gone else cards.picture(kind)
        area = f'<rect x="{-half}" y="-24" width="{2 * half}" height="48" fill="#fff" fill-opacity="0"/>'
        named = titled(f"{card_name(kind, language)}, {words['gone' if gone else 'come']}", area + shape)
        drawn.append(place(layout.left[0] + layout.left[1] * order, layout.pile[1] + 157, named, size))
    drawn.append(text(layout.left[0] + 4 * layout.left[1], layout.pile[1] + 188, words["come"], 18, FAINT))
    return "".join(drawn)
