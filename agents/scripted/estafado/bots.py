"""Two scripted bots for *Estafado*: kernels from an observation, its mask and a stream to an action, for both roles.

`simple` plays as a beginner would. His fox goes for rabbits that he knows of, else for cards that he does not know, and
not next to the bear; his eagle chases the crow. Her crow flees, hides rabbits from the fox, and sends the bear after
him.

`strong` weighs what it may do. Its fox looks some steps ahead over what each card is likely to be, minds where the bear
can go, and keeps good cards for the moment. Its crow and her bear leave him as little to hope for as they can.
"""

import numpy as np

from sobremesa.agents.scripted.estafado.crow import play_crow
from sobremesa.agents.scripted.estafado.fox import play_fox
from sobremesa.agents.scripted.estafado.simple import play_beginner
from sobremesa.agents.scripted.estafado.view import VIEW, read
from sobremesa.agents.scripted.estafado.weights import TUNED
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.estafado.state import CROW, FOX


@kernel
def simple(observation, mask, stream):
    """Play as a beginner."""
    return _begin(observation, mask, stream, np.zeros(1, VIEW))


@kernel
def _begin(observation, mask, stream, views):
    """Do so with the view in `views` `(1,)`: a record keeps no array alive, so the caller has to hold on to it."""
    read(observation, views[0])
    return play_beginner(views[0], mask, stream)


@kernel
def strong(observation, mask, stream):
    """Take the action of most worth."""
    return weigh(observation, mask, TUNED)


@kernel
def weigh(observation, mask, weights):
    """Take the action of most worth by `weights` `(2,)`, one for each role."""
    return _weigh(observation, mask, np.zeros(1, VIEW), weights)


@kernel
def _weigh(observation, mask, views, weights):
    view = views[0]
    read(observation, view)
    if view.role == FOX:
        return play_fox(view, mask, weights[FOX])
    return play_crow(view, mask, weights[CROW])
