"""The view of the strong bot of *Corre el encierro*: the decoded observation, and estimates from it."""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.corre_el_encierro.cards import MAX_SEATS, NUM_HAND_CARDS
from sobremesa.envs.corre_el_encierro.observe import SEEN, decode

VIEW = with_attributes(
    [
        *SEEN.descr,
        ("share", np.float64, NUM_HAND_CARDS),  # of each kind among the cards that may be in a hand
        ("unknown", np.float64, MAX_SEATS),  # how many cards in each other hand I do not know
        ("threat", np.float64, MAX_SEATS),  # share of each other seat in the threat to my win
        ("others", np.int64),  # runners in the run apart from me
        ("ready", np.float64, MAX_SEATS),  # chance that another seat can win in its next turn
        ("near", np.float64),  # how near the Cabestros are: 0 far, 1 here
        ("payment", np.float64),  # my cost of paying for a hit
        ("gain", np.float64),  # mean gain of a drawn card
        ("harm", np.float64, 2),  # harm to others on my location by a bull, a fall that I draw
        ("sweep", np.float64),  # value of a sweep
    ]
)


@kernel
def read(observation, view):
    """Fill `view`, given as zeros, from an observation of the seat to act."""
    decode(observation, view)
    total = 0.0
    for seat in range(1, view.seats):
        view.unknown[seat] = view.hand_size[seat]
    for kind in range(NUM_HAND_CARDS):
        left = float(view.unseen[kind])
        for seat in range(1, view.seats):
            view.unknown[seat] -= view.known[seat, kind]
            left -= view.known[seat, kind]
        view.share[kind] = max(left, 0.0)
        total += view.share[kind]
    if total > 0:
        for kind in range(NUM_HAND_CARDS):
            view.share[kind] /= total
