"""The scripted bots of *Estafado*, from weak to strong."""

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.estafado.bots import kernels

BOTS = (KernelAgent("simple", kernels.simple), KernelAgent("strong", kernels.strong))
