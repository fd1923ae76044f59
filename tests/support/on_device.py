"""`TensorEnv` behind the calls and arrays of `VectorEnv`, so that the same tests try both."""

import numpy as np
import torch

from sobremesa import envs
from sobremesa.envs.core.api.vector import VectorStep
from sobremesa.envs.core.device.vector import TensorEnv


class OnDevice:
    """The environment of `envs.make_vec(name, count)` on the device "cpu:0", with arrays in place of tensors."""

    def __init__(self, name, count, seed=0, **arguments):
        self.env = TensorEnv(envs.load(name), count, seed, device="cpu:0", **arguments)
        self.game = self.env.game

    def __getattr__(self, name):
        return getattr(self.env, name)

    @property
    def _out(self):
        return arrays(self.env.observe())

    @property
    def states(self):
        return self.env.get_state()["states"]

    @property
    def _deals(self):
        return self.env.get_state()["deals"]

    @property
    def deal_seeds(self):
        return self.env.deal_seeds.numpy()

    def reset(self, *given, **named):
        return arrays(self.env.reset(*given, **named))

    def step(self, actions):
        return arrays(self.env.step(torch.from_numpy(np.array(actions, np.int64))))

    def sample(self):
        return self.env.sample().numpy()


def arrays(step):
    """Return a step of tensors as one of arrays."""
    return VectorStep(*(tensor.numpy() for tensor in step))
