"""The scripted bots of *Bandido Alcatraz*, from weak to strong."""

from sobremesa.envs.bandido_alcatraz.bots import kernels
from sobremesa.envs.core.agent import KernelAgent

BOTS = (
    KernelAgent("simple", kernels.simple),
    KernelAgent(
        "strong", kernels.strong, kernels.strong_outlook, kernels.strong_afterstates, {"cells": kernels.strong_cells}
    ),
)
