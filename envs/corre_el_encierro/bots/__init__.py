"""The scripted bots of *Corre el encierro*, from weak to strong, and a rival of the champion."""

from sobremesa.envs.core.agent import KernelAgent, Restricted
from sobremesa.envs.corre_el_encierro.bots import kernels

BOTS = (KernelAgent("simple", kernels.simple), KernelAgent("strong", kernels.strong))
RIVALS = (Restricted("keeps_zapatillas", "champion", kernels.keep_zapatillas),)
