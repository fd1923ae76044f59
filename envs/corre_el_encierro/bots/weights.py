"""Weights of the strong bot of *Corre el encierro*; `value.WEIGHTS` describes them.

They were guessed, then tuned by an evolution strategy (a separable CMA-ES, some 40 generations of 24) on the win rate
at tables of 2 to 5 seats, against `simple` and against an earlier self. The last decimals are noise.
"""

import numpy as np

from sobremesa.envs.corre_el_encierro import cards as c
from sobremesa.envs.corre_el_encierro.bots.value import WEIGHTS

_CARD = np.zeros(c.NUM_HAND_CARDS)
_CARD[c.TORO_VOLTEADO] = 0.076
_CARD[c.GLORIA] = 0.1
_CARD[c.MIRON] = 0.1
_CARD[c.CONSEJO] = 0.1
_CARD[c.KILIKIS] = -0.026
_CARD[c.LINEA_ROJA] = -0.02
_CARD[c.CHUPETE] = -0.02
_CARD[c.GARROTAZO] = -0.02
_CARD[c.PILLO] = 0.228
_CARD[c.BARRERA] = 0.024
_CARD[c.OTRA_VEZ] = 0.179
_CARD[c.CARRERA] = 0.456
_CARD[c.INTERCAMBIO] = 0.258
_CARD[c.PERDIDOS] = 0.077
_CARD[c.CAPOTE] = 0.11
_CARD[c.LIQUIDO] = 0.108
_CARD[c.ZAPATILLAS] = 0.272

TUNED = np.zeros(1, WEIGHTS)
TUNED["place"] = [-6.764, 0.0, 0.715, 1.607, 2.592, 3.871, 5.406, 20.0]
TUNED["hearts"] = [-6.0, 0.0, 0.386, 1.02, 1.381, 1.679, 2.127]
TUNED["haste"] = 0.208
TUNED["avanzar"] = [0.0, 0.511, 0.877, 1.026]
TUNED["bull"] = [0.0, 0.259, 0.433, 0.492]
TUNED["fall"] = [0.0, 0.184, 0.158, 0.22]
TUNED["card"] = _CARD
TUNED["boost"] = 0.178
TUNED["pair"] = 0.852
TUNED["full"] = 0.001
TUNED["ready"] = 1.03
TUNED["sweep"] = 1.518
TUNED["horizon"] = 3.434
TUNED["crowd"] = 0.041
TUNED["turn"] = 0.407
TUNED["theirs"] = 0.287
TUNED["late"] = 0.775
TUNED["heat"] = 1.274
TUNED["watch"] = 0.206
TUNED["out"] = 2.705
TUNED["drawn"] = 2.07
