"""TorchRL: rollouts of random allowed actions through its Gymnasium and PettingZoo interfaces."""

import gymnasium
import torch
from deals import id_of, module_of, try_all
from torchrl.envs import ActionMask, GymEnv, GymWrapper, PettingZooWrapper, TransformedEnv, check_env_specs
from torchrl.modules import MaskedCategorical


def one_seat(game):
    keys = ("observation", "action_mask")
    made = gymnasium.make(id_of(game), opponents="random", dict_keys=keys, illegal="raise")
    env = TransformedEnv(GymWrapper(made, categorical_action_encoding=True), ActionMask())
    played = env.rollout(100, break_when_any_done=False)
    assert played["action_mask"].gather(-1, played["action"][..., None]).all()
    check_env_specs(TransformedEnv(GymWrapper(gymnasium.make(id_of(game), opponents="random", dict_keys=keys))))


def by_id(game):
    """Make an environment by its id, as TorchRL's tutorials do, and draw allowed actions by its distribution."""
    keys = ("observation", "action_mask")
    env = GymEnv(id_of(game), dict_keys=keys, opponents="random", illegal="raise", categorical_action_encoding=True)
    seen = env.reset()
    for _ in range(20):
        mask = seen["action_mask"].bool()
        seen["action"] = MaskedCategorical(logits=torch.zeros(len(mask)), mask=mask).sample()
        assert mask[seen["action"]]
        seen = env.step(seen)["next"]
        if seen["done"]:
            seen = env.reset()


def all_seats(game):
    env = PettingZooWrapper(module_of(game).env(), use_mask=True, return_state=False, categorical_actions=True)
    played = env.rollout(60, break_when_any_done=True)
    assert len(played) > 3


if __name__ == "__main__":
    try_all(one_seat, by_id, all_seats)
