"""The scripted bots of *Ese Toro enamorado*, from weak to strong."""

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.ese_toro_enamorado.bots import kernels

BOTS = (KernelAgent("simple", kernels.simple), KernelAgent("strong", kernels.strong))
