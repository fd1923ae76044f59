"""The scripted bots of *Corre el encierro*, from weak to strong."""

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.corre_el_encierro.bots import kernels

BOTS = (KernelAgent("simple", kernels.simple), KernelAgent("strong", kernels.strong))
