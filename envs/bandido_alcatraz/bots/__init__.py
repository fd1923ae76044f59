"""The scripted bots of *Bandido Alcatraz*, from weak to strong."""

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.bandido_alcatraz.bots import kernels

BOTS = (
    KernelAgent("simple", kernels.simple),
    KernelAgent("strong", kernels.strong, kernels.strong_outlook, kernels.strong_afterstates),
)
