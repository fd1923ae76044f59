"""Training: train agents with self-play, export them as bots, and measure their exploitability.

Importing this package is light: PyTorch is imported by the first use of a function that needs it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sobremesa.training.bots import ExportError, export, export_graph, export_module
    from sobremesa.training.config.classes import ConfigError, LoopConfig, TrainConfig, from_dict, load
    from sobremesa.training.config.registry import Algorithm, register
    from sobremesa.training.exploitability import Exact, Responses, exact_response, find_responses
    from sobremesa.training.networks.policy import PolicyNet
    from sobremesa.training.responses import Exploit, exploit, response_config
    from sobremesa.training.runs.loop import Loop
    from sobremesa.training.runs.run import RunError
    from sobremesa.training.trainer import resume, train

__all__ = [
    "Algorithm", "ConfigError", "Exact", "Exploit", "ExportError", "Loop", "LoopConfig", "PolicyNet", "Responses",
    "RunError", "TrainConfig", "exact_response", "exploit", "export", "export_graph", "export_module", "find_responses",
    "from_dict", "load", "register", "response_config", "resume", "train",
]  # fmt: skip

_MODULES = {
    "bots": ("ExportError", "export", "export_graph", "export_module"),
    "config.classes": ("ConfigError", "LoopConfig", "TrainConfig", "from_dict", "load"),
    "config.registry": ("Algorithm", "register"),
    "exploitability": ("Exact", "Responses", "exact_response", "find_responses"),
    "networks.policy": ("PolicyNet",),
    "responses": ("Exploit", "exploit", "response_config"),
    "runs.loop": ("Loop",),
    "runs.run": ("RunError",),
    "trainer": ("resume", "train"),
}


def __getattr__(name: str) -> Any:
    """Import and return a name of `__all__`."""
    for module, names in _MODULES.items():
        if name in names:
            return getattr(import_module(f"{__name__}.{module}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """Return all names, also those that are not imported yet."""
    return sorted({*globals(), *__all__})
