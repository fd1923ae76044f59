"""The usual settings of `search` in each game: of those that take about 0.1 s of CPU a decision, what gained most.

Each was measured by the command above it (tuning.py), which tells its figures first; they are in the README, too. The
gate by standard errors was as good as `softmax(log prior + Q / tau)` or better in all games, within what so few
positions show, and leaves the base less often; so `tau` is 0 in all.
"""

from dataclasses import replace

from sobremesa.agents.search.improve import Budget
from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game

USUAL = {
    # python -m sobremesa.agents.search.tuning bandido_alcatraz --plies 8 --positions 100 --out runs/tuning
    "bandido_alcatraz": Budget(worlds=128, actions=12, gate=1.5, plies=8),
    # python -m sobremesa.agents.search.tuning corre_el_encierro --worlds 512 --positions 240 --out runs/tuning
    "corre_el_encierro": Budget(worlds=256, actions=8, gate=2.0),
    # python -m sobremesa.agents.search.tuning erase_una_vez --worlds 320 --positions 160 --out runs/tuning
    "erase_una_vez": Budget(worlds=160, actions=12, gate=1.0),
    # python -m sobremesa.agents.search.tuning ese_toro_enamorado --positions 60 --out runs/tuning
    "ese_toro_enamorado": Budget(worlds=32, actions=8, gate=1.5),
    # python -m sobremesa.agents.search.tuning estafado --worlds 288 --positions 160 --out runs/tuning
    "estafado": Budget(worlds=64, actions=12, gate=1.5),
}

# Where a bot plays on. With --base trained --rollout trained, on 80, 60 and 30 positions; that of Ese Toro enamorado
# is the first of `--base champion --rollout champion --positions 100 --worlds 192` as well (+0.020 ± 0.012, 0.1 s);
# that of Estafado was chosen for `trained` alone.
BOTS = {
    "corre_el_encierro": Budget(worlds=64, actions=8, gate=2.0),
    "ese_toro_enamorado": Budget(worlds=64, actions=8, gate=1.0),
    "estafado": Budget(worlds=24, actions=8, gate=1.5),
}


def usual_budget(game: Game, rollout: Agent) -> Budget:
    """Return the usual budget in `game` where `rollout` plays on; without `plies` where it has no outlook."""
    scripted = getattr(rollout, "kernel", None) is not None
    usual = (USUAL if scripted else BOTS).get(game.name, Budget())
    return usual if getattr(rollout, "outlook", None) is not None else replace(usual, plies=0)
