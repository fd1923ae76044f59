"""Weights of the strong bot of *Estafado*, with their meanings. A caught rabbit has the value 1.

They were guessed, then tuned for each role apart by an evolution strategy (a separable one, 35 generations of 16) on
the wins against the other role, three parts as `strong` plays it and two as `simple` does. The last decimals are
noise. A life has a higher weight than the tuned one, for bears that hunt better.
"""

import numpy as np

from sobremesa.envs.core.fields import with_attributes
from sobremesa.envs.estafado.bots import view as v
from sobremesa.envs.estafado.state import CROW, FOX

WEIGHTS = with_attributes(
    [
        # both roles; the crow uses them to predict the fox
        ("found", np.float64),  # value of a known rabbit relative to a caught one
        ("effect", np.float64, v.NUM_SORTS),  # value of turning up a card of each sort
        ("later", np.float64),  # weight of the next step relative to this one
        ("life", np.float64),  # value of the fox's life
        ("shelter", np.float64),  # value of the vixen before it is placed
        ("near", np.float64),  # cost of ending a later step next to the bear's present card
        # the fox
        ("keep", np.float64, v.NUM_SORTS),  # value of a card of each sort in the hand
        ("again", np.float64),  # value of the extra step after a catch
        ("hurry", np.float64),  # extra value of a rabbit that the crow may take away
        ("suspicion", np.float64, 4),  # how likely a rabbit is where the crow looked, by rounds that it is away
        ("look", np.float64),  # value of a look, for each chance of a rabbit
        ("guard", np.float64),  # how much a rabbit that the crow can reach is worth protecting; against `shelter`
        ("side", np.float64),  # above 0: drive the crow clockwise
        ("patience", np.float64),  # rounds before the end from which cards are kept for less and less
        ("fetch", np.float64),  # value of swapping a known rabbit into reach
        # the crow
        ("delay", np.float64),  # weight of a card that takes the fox another round
        ("blind", np.float64),  # chance that the fox turns up a card next to him that he does not know
        ("aimed", np.float64),  # the same where he knows of a rabbit
        ("bait", np.float64),  # the same where he knows of another good card
        ("shadow", np.float64),  # share of that close to the bear
        ("insight", np.float64),  # value of the crow's first look at a card, for each chance of a rabbit
        ("bury", np.float64),  # cost of a swap with the deck
        ("dive", np.float64),  # cost of staying in reach of a dive
        ("room", np.float64),  # value of each space between eagle and crow
        ("truth", np.float64),  # weight of true cards, relative to the fox's knowledge, for the bear
        ("chase", np.float64),  # value for the bear of each card nearer to the fox
        ("spread", np.float64),  # how much the bear minds all that the fox may do, compared with the best of it
        ("sting", np.float64),  # chance that a card that the fox turns up costs him a turn, as the bear sees it
    ]
)

TUNED = np.zeros(2, WEIGHTS)  # (role,): fox, crow
TUNED["found"] = [0.323, 0.396]
TUNED["later"] = [0.111, 0.732]
TUNED["life"] = [1.0, 1.613]
TUNED["shelter"] = [0.198, 0.144]
TUNED["near"] = [0.068, 0.024]
TUNED["effect"][:, v.YIKES] = [-0.014, -0.023]
TUNED["effect"][:, v.OUCH] = [-0.133, -0.085]
TUNED["effect"][:, v.LEAP_1] = [0.063, 0.105]
TUNED["effect"][:, v.LEAP_2] = [0.038, 0.088]
TUNED["effect"][:, v.TUNNEL] = [0.096, 0.057]
TUNED["effect"][:, v.PEEK_NEAR] = [0.006, 0.071]
TUNED["effect"][:, v.PEEK_ANY] = [0.031, 0.059]
TUNED["effect"][:, v.SWAP] = [0.012, 0.001]
TUNED["effect"][:, v.DIVE] = [0.206, 0.115]
TUNED["effect"][:, v.SKIP] = [0.0, 0.015]
TUNED["effect"][:, v.STEAL] = [-0.293, -0.241]
TUNED["effect"][:, v.HURRICANE] = [-0.031, -0.044]
TUNED["keep"][FOX, v.LEAP_1] = 0.079
TUNED["keep"][FOX, v.LEAP_2] = 0.091
TUNED["keep"][FOX, v.TUNNEL] = 0.054
TUNED["keep"][FOX, v.PEEK_NEAR] = 0.043
TUNED["keep"][FOX, v.PEEK_ANY] = 0.02
TUNED["keep"][FOX, v.SWAP] = 0.032
TUNED["keep"][FOX, v.DIVE] = 0.191
TUNED["keep"][FOX, v.SKIP] = 0.032
TUNED["keep"][FOX, v.HURRICANE] = 0.03
TUNED["keep"][FOX, v.HARMLESS] = 0.02
TUNED["again"][FOX] = 0.092
TUNED["hurry"][FOX] = 0.372
TUNED["look"][FOX] = 0.395
TUNED["guard"][FOX] = 0.575
TUNED["side"][FOX] = 0.109
TUNED["patience"][FOX] = 6.01
TUNED["fetch"][FOX] = 0.304
TUNED["suspicion"][FOX] = [0.228, 0.503, 1.835, 2.364]
TUNED["delay"][CROW] = 0.515
TUNED["blind"][CROW] = 0.225
TUNED["aimed"][CROW] = 0.419
TUNED["bait"][CROW] = 0.086
TUNED["shadow"][CROW] = 0.98
TUNED["insight"][CROW] = 0.162
TUNED["bury"][CROW] = 0.001
TUNED["dive"][CROW] = 0.52
TUNED["room"][CROW] = 0.034
TUNED["truth"][CROW] = 0.631
TUNED["chase"][CROW] = 0.026
TUNED["spread"][CROW] = 0.396
TUNED["sting"][CROW] = 0.048
