"""The weights of the strong bot of *Estafado*, and what each is for. Units: a rabbit caught is worth one."""

import numpy as np

from sobremesa.agents.scripted.estafado_view import (
    DIVE,
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

_EFFECT, _KEEP = np.zeros(NUM_SORTS), np.zeros(NUM_SORTS)
_EFFECT[YIKES] = -0.03
_EFFECT[OUCH] = -0.12
_EFFECT[LEAP_1] = 0.08
_EFFECT[LEAP_2] = 0.08
_EFFECT[TUNNEL] = 0.1
_EFFECT[PEEK_NEAR] = 0.1
_EFFECT[PEEK_ANY] = 0.06
_EFFECT[SWAP] = 0.02
_EFFECT[DIVE] = 0.15
_EFFECT[SKIP] = 0.02
_EFFECT[STEAL] = -0.3
_EFFECT[HURRICANE] = -0.02
_KEEP[:] = 0.03
_KEEP[LEAP_1] = 0.05
_KEEP[LEAP_2] = 0.05
_KEEP[TUNNEL] = 0.06
_KEEP[DIVE] = 0.3
_KEEP[OUCH] = 0.0
_KEEP[YIKES] = 0.0
_KEEP[STEAL] = 0.0

TUNED = np.zeros(2, WEIGHTS)  # (role,)
TUNED["found"] = 0.4
TUNED["effect"] = _EFFECT
TUNED["keep"] = _KEEP
TUNED["later"] = 0.7
TUNED["life"] = 2.0
TUNED["shelter"] = 0.15
TUNED["again"] = 0.1
TUNED["hurry"] = 0.3
TUNED["near"] = 0.05
TUNED["suspicion"] = [0.7, 1.0, 1.5, 2.0]
TUNED["look"] = 0.4
TUNED["guard"] = 0.3
TUNED["side"] = 0.1
TUNED["patience"] = 8.0
TUNED["fetch"] = 0.4
TUNED["delay"] = 0.5
TUNED["blind"] = 0.12
TUNED["aimed"] = 0.8
TUNED["bait"] = 0.3
TUNED["shadow"] = 0.6
TUNED["insight"] = 0.1
TUNED["bury"] = 0.01
TUNED["dive"] = 0.5
TUNED["room"] = 0.02
TUNED["truth"] = 0.4
TUNED["chase"] = 0.01
TUNED["spread"] = 0.3
TUNED["sting"] = 0.1
