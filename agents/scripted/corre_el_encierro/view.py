"""What the strong bot of *Corre el encierro* makes of an observation: what it sees, and how things stand."""

import numpy as np

from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.corre_el_encierro.cards import MAX_SEATS, NUM_HAND_CARDS
from sobremesa.envs.corre_el_encierro.decode import SEEN, decode

VIEW = with_attributes(
    [
        *SEEN.descr,
        ("share", np.float64, NUM_HAND_CARDS),  # of each kind among the cards that may be in a hand
        ("unknown", np.float64, MAX_SEATS),  # how many cards in each other hand I do not know
        ("threat", np.float64, MAX_SEATS),  # how much of what stands between me and the win each other seat is
        ("others", np.int64),  # runners in the run besides me
        ("ready", np.float64, MAX_SEATS),  # chance that another seat holds what wins in its next turn
        ("near", np.float64),  # how near the Cabestros are: 0 far, 1 here
        ("payment", np.float64),  # what paying for a hit costs me
        ("gain", np.float64),  # what a card drawn brings
        ("harm", np.float64, 2),  # what a bull, a fall that I draw does to others on my stretch
        ("sweep", np.float64),  # what it is worth that the pile is used up
    ]
)


@kernel
def read(observation, view):
    """Fill `view`, given as zeros, from an observation made when I am asked."""
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
        view.share[:] /= total
