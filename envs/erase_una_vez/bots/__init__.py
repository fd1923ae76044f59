"""The scripted bots of *Érase una vez*, from weak to strong, and a rival of the champion."""

from sobremesa.envs.core.agent import KernelAgent
from sobremesa.envs.erase_una_vez.bots import kernels

BOTS = (KernelAgent("simple", kernels.simple), KernelAgent("strong", kernels.strong))
RIVALS = (KernelAgent("claims", kernels.claims),)
