"""Two scripted bots for *Estafado*: kernels from an observation, its mask and a stream to an action, for both roles.

`simple` plays like a beginner. Its fox goes for known rabbits, otherwise for unknown cards, and
avoids the bear; its eagle chases the crow. Its crow flees, hides rabbits from the fox, and sends the bear after
the fox.

`strong` estimates the value of each action. Its fox looks some steps ahead over the likely cards, avoids the bear's
reach, and keeps good cards for the right moment. Its crow and bear minimize the fox's prospects.
"""

from sobremesa.envs.core.blocks import empty
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.compile.scratch import scratch
from sobremesa.envs.estafado.bots.crow import play_crow
from sobremesa.envs.estafado.bots.fox import play_fox
from sobremesa.envs.estafado.bots.simple import play_beginner
from sobremesa.envs.estafado.bots.view import VIEW, read
from sobremesa.envs.estafado.bots.weights import TUNED
from sobremesa.envs.estafado.state import CROW, FOX


@kernel
def simple(observation, mask, stream):
    """Play like a beginner."""
    views = scratch(1, VIEW)
    empty(views)
    read(observation, views[0])
    return play_beginner(views[0], mask, stream)


@kernel
def strong(observation, mask, stream):
    """Take the action of the highest value."""
    return weigh(observation, mask, TUNED)


@kernel
def weigh(observation, mask, weights):
    """Take the action of the highest value by `weights` `(2,)`, one for each role."""
    views = scratch(1, VIEW)
    empty(views)
    view = views[0]
    read(observation, view)
    if view.role == FOX:
        return play_fox(view, mask, weights[FOX])
    return play_crow(view, mask, weights[CROW])
