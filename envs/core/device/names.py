"""Names of devices. This module imports PyTorch only when a name is resolved."""

import re
from typing import TYPE_CHECKING, Any

from sobremesa.envs.core.device.driver import CudaError
from sobremesa.envs.core.errors import MissingExtra, one_line

if TYPE_CHECKING:
    import torch

_SUPPORTED = re.compile(r"(cpu|cuda)(:\d{1,4})?")


def check_name(name: Any) -> str:
    """Return the name of a device as text; raise ValueError unless it names the processor or an NVIDIA GPU."""
    if not _SUPPORTED.fullmatch(str(name)):
        raise ValueError(
            f"device={one_line(repr(str(name)), 60)} is not supported; supported are 'cpu', and 'cuda', 'cuda:1' and "
            "the like for an NVIDIA GPU"
        )
    return str(name)


def device_of(name: Any) -> "torch.device":
    """Return the torch device of `name`.

    Raises ValueError for a device that is not supported, MissingExtra without PyTorch, and CudaError if there is no
    such GPU here.
    """
    name = check_name(name)
    try:
        import torch
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        raise MissingExtra(f"device={name!r}", "gpu") from None
    if name.startswith("cpu"):
        return torch.device("cpu")
    if torch.version.cuda is None:
        raise CudaError(
            f"device={name!r} needs an NVIDIA GPU and a PyTorch with CUDA; PyTorch {torch.__version__} has no CUDA: "
            "install another from https://pytorch.org/get-started, or use device='cpu'"
        )
    if not torch.cuda.is_available():
        raise CudaError(f"device={name!r} needs an NVIDIA GPU and its driver, and PyTorch finds none; use device='cpu'")
    device = torch.device(name)
    index = torch.cuda.current_device() if device.index is None else device.index
    if index >= torch.cuda.device_count():
        raise CudaError(f"device={name!r} does not exist; there are {torch.cuda.device_count()} GPUs, numbered from 0")
    return torch.device("cuda", index)
