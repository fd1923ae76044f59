"""JAX: a policy that chooses on the tensors of a TensorEnv, both ways without a copy."""

import jax
import jax.numpy as jnp
import torch

import sobremesa

TABLES, TURNS = 32, 40


@jax.jit
def choose(key, weights, observations, masks):
    """Return an action for each table, from a linear policy over the allowed ones, int32."""
    logits = jnp.where(masks == 1, observations @ weights, -jnp.inf)
    return jax.random.categorical(key, logits).astype(jnp.int32)


def main():
    """Play by JAX, and check that both libraries have the same memory and that every action was allowed."""
    env = sobremesa.make_vec("kuhn_poker", num_envs=TABLES, seed=0, device="cpu:0")
    weights = jnp.zeros((env.game.layout.size, env.game.num_actions))
    step, finished = env.reset(), 0
    for key in jax.random.split(jax.random.key(0), TURNS):
        seen = [jax.dlpack.from_dlpack(tensor) for tensor in step]
        assert [one.unsafe_buffer_pointer() for one in seen] == [tensor.data_ptr() for tensor in step]
        chosen = choose(key, weights, seen[0], seen[1])
        actions = torch.from_dlpack(chosen)
        assert actions.data_ptr() == chosen.unsafe_buffer_pointer()
        step = env.step(actions.long())
        finished += int(step.dones.sum())
    env.check()  # raises for an illegal action
    assert finished > TABLES


if __name__ == "__main__":
    main()
