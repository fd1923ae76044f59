"""The weights of the strong bot of *Estafado*, and what each is for. Units: a rabbit caught is worth one."""

import numpy as np

from sobremesa.agents.scripted.estafado_view import (
    DIVE,
    HARMLESS,
    HURRICANE,
    LEAP_1,
    LEAP_2,
    NUM_SORTS,
    OUCH,
    PEEK_ANY,
    PEEK_NEAR,
    SKIP,
    STEAL,
    SWAP,
    TUNNEL,
    YIKES,
)
from sobremesa.envs.estafado.state import CROW, FOX

WEIGHTS = np.dtype(
    (
        np.record,
        [
            # the fox
            ("found", np.float64),  # what knowing where a rabbit is counts of catching it
            ("effect", np.float64, NUM_SORTS),  # what turning up a card of each sort is worth
            ("keep", np.float64, NUM_SORTS),  # what a card of each sort is worth in the hand, for later
            ("later", np.float64),  # what the next step counts beside this one
            ("life", np.float64),  # what the bear takes
            ("shelter", np.float64),  # what the vixen is worth before she is placed
            ("again", np.float64),  # what the step that a catch gives is worth
            ("hurry", np.float64),  # what more a rabbit is worth that the crow may still take away
            ("near", np.float64),  # what ending a later step next to where the bear is now costs
            ("suspicion", np.float64, 4),  # how likely a rabbit is where the crow looked, by rounds that it is away
            ("look", np.float64),  # what a look is worth, for each chance of a rabbit
            ("guard", np.float64),  # how much a rabbit that the crow can reach is worth protecting; against `shelter`
            ("side", np.float64),  # above 0: drive the crow clockwise
            ("patience", np.float64),  # rounds before the end from which cards are kept for less and less
            ("fetch", np.float64),  # what swapping a known rabbit to a card within reach is worth
            # the crow
            ("delay", np.float64),  # what a card counts that takes the fox a round more
            ("blind", np.float64),  # chance that the fox turns up a card next to him that he does not know
            ("aimed", np.float64),  # the same where he knows of a rabbit
            ("bait", np.float64),  # the same where he knows of another good card
            ("shadow", np.float64),  # what is left of that close to the bear
            ("insight", np.float64),  # what the crow's first look at a card is worth, for each chance of a rabbit
            ("bury", np.float64),  # what a swap with the deck costs
            ("dive", np.float64),  # what staying in reach of a dive costs
            ("room", np.float64),  # what each space between eagle and crow is worth
            ("truth", np.float64),  # how much the bear minds what cards are, beside what the fox thinks of them
            ("chase", np.float64),  # what each card nearer to the fox is worth to the bear
            ("spread", np.float64),  # how much the bear minds all that the fox may do, beside the best of it
            ("sting", np.float64),  # chance that a card that the fox turns up costs him a turn, as the bear sees it
        ],
    )
)

TUNED = np.zeros(2, WEIGHTS)  # (role,): fox, crow
TUNED["found"] = [0.345, 0.387]
TUNED["later"] = [0.15, 0.611]
TUNED["life"] = [1.396, 1.626]
TUNED["shelter"] = [0.157, 0.134]
TUNED["near"] = [0.068, 0.024]
TUNED["effect"][:, YIKES] = [-0.019, -0.022]
TUNED["effect"][:, OUCH] = [-0.147, -0.087]
TUNED["effect"][:, LEAP_1] = [0.061, 0.08]
TUNED["effect"][:, LEAP_2] = [0.075, 0.099]
TUNED["effect"][:, TUNNEL] = [0.086, 0.063]
TUNED["effect"][:, PEEK_NEAR] = [0.023, 0.082]
TUNED["effect"][:, PEEK_ANY] = [0.036, 0.054]
TUNED["effect"][:, SWAP] = [0.008, 0.003]
TUNED["effect"][:, DIVE] = [0.21, 0.1]
TUNED["effect"][:, SKIP] = [0.005, 0.025]
TUNED["effect"][:, STEAL] = [-0.227, -0.323]
TUNED["effect"][:, HURRICANE] = [-0.033, -0.028]
TUNED["keep"][FOX, LEAP_1] = 0.059
TUNED["keep"][FOX, LEAP_2] = 0.077
TUNED["keep"][FOX, TUNNEL] = 0.047
TUNED["keep"][FOX, PEEK_NEAR] = 0.036
TUNED["keep"][FOX, PEEK_ANY] = 0.009
TUNED["keep"][FOX, SWAP] = 0.03
TUNED["keep"][FOX, DIVE] = 0.197
TUNED["keep"][FOX, SKIP] = 0.049
TUNED["keep"][FOX, HURRICANE] = 0.03
TUNED["keep"][FOX, HARMLESS] = 0.043
TUNED["again"][FOX] = 0.1
TUNED["hurry"][FOX] = 0.301
TUNED["look"][FOX] = 0.458
TUNED["guard"][FOX] = 0.6
TUNED["side"][FOX] = 0.069
TUNED["patience"][FOX] = 6.616
TUNED["fetch"][FOX] = 0.394
TUNED["suspicion"][FOX] = [0.648, 0.706, 1.751, 1.777]
TUNED["delay"][CROW] = 0.485
TUNED["blind"][CROW] = 0.185
TUNED["aimed"][CROW] = 0.551
TUNED["bait"][CROW] = 0.102
TUNED["shadow"][CROW] = 0.98
TUNED["insight"][CROW] = 0.154
TUNED["bury"][CROW] = 0.0
TUNED["dive"][CROW] = 0.546
TUNED["room"][CROW] = 0.03
TUNED["truth"][CROW] = 0.414
TUNED["chase"][CROW] = 0.035
TUNED["spread"][CROW] = 0.426
TUNED["sting"][CROW] = 0.05
