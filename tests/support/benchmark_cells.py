"""A learning function and its cells, for tests of the benchmark."""

from sobremesa.training.benchmark import cells, tasks
from sobremesa.training.benchmark.candidates import candidate

GUESS = """
class Guess:
    name = "guess"

    def act(self, view):
        return int(view.mask.argmax())

    def act_batch(self, observations, masks, streams):
        return masks.argmax(1)
"""
LEARNER = f"""
import numpy as np
{GUESS}

def learn(task, budget, seed):
    tables = task.tables(4, seed)
    while task.left >= tables.num_envs:
        tables.step(tables.sample())
        yield task.spent, Guess()


def liar(task, budget, seed):
    next(learn(task, budget, seed))
    yield 1, Guess()


def spendthrift(task, budget, seed):
    env = task.seat_env("random")
    env.reset(seed=seed)
    while True:
        _, _, over, _, _ = env.step(int(env.action_masks().argmax()))
        if over:
            env.reset()
        yield task.spent, Guess()


def careless(task, budget, seed):
    tables = task.tables(4, seed)
    yield np.int64(0), Guess()
    for _ in range(10):
        tables.step(tables.sample())


def vague(task, budget, seed):
    yield 4.5, Guess()


def leaver(task, budget, seed):
    yield 0, Guess()
    raise SystemExit("bye")


def silent(task, budget, seed):
    yield from ()
"""
MADE = {"python": "3", "commit": "abc", "command": "as here"}


def asked(spec, budget=100, points=5):
    return cells.asked(candidate(str(spec)), tasks.load("estafado-crow"), 1, budget, points)


def run(folder, cell, made=MADE):
    """Run `cell`, whose function the test has written."""
    return cells.run(folder, cell, made, allow_commands=True)
