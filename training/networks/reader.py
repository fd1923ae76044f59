"""Networks on a device: logits and values of observations that are bytes."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from sobremesa.envs.core.device.decode import Decoder
from sobremesa.envs.core.layout import Layout
from sobremesa.training.networks.policy import Net, forbid
from sobremesa.training.networks.views import Views


class Reader:
    """Runs networks on rows of bytes; on a GPU matrix products are in bfloat16, and everything else in float32."""

    def __init__(self, layout: Layout, device: torch.device) -> None:
        self.device = device
        self.decoder = Decoder(layout, torch.bfloat16 if device.type == "cuda" else torch.float32).to(device)

    @contextmanager
    def precision(self) -> Iterator[None]:
        """Compute in the precision of the device within this context."""
        with torch.autocast(self.device.type, torch.bfloat16, enabled=self.device.type == "cuda"):
            yield

    def views(self, codes: torch.Tensor, masks: torch.Tensor) -> Views:
        """Return the views of observations `(n, W)` uint8 and masks `(n, A)`."""
        return Views(self.decoder(codes), masks.contiguous())

    def run(self, net: Net, views: Views) -> torch.Tensor:
        """Return the outputs of `net` for `views`, `(n, outputs)` float32."""
        with self.precision():
            return net.run(views, views.matrix[:, :0])[0].float()

    def outputs(self, net: Net, codes: torch.Tensor, advice: torch.Tensor | None = None) -> torch.Tensor:
        """Return the outputs of `net` for observations `(n, W)` uint8, `(n, outputs)` float32.

        `advice` `(n,)` int64 are the scripted choices, for a network with an advisor.
        """
        matrix = self.decoder(codes)
        if net.advisor is not None:
            assert advice is not None
            matrix = torch.cat([matrix, torch.nn.functional.one_hot(advice, net.outputs).to(matrix.dtype)], 1)
        return self.run(net, Views(matrix))

    def log_chances(self, net: Net, views: Views) -> torch.Tensor:
        """Return the log probabilities of all actions, `(n, A)`."""
        assert views.masks is not None
        return forbid(self.run(net, views), views.masks).log_softmax(1)


def sample(log_chances: torch.Tensor) -> torch.Tensor:
    """Return an action for each row of `log_chances` `(n, A)`, drawn by its probabilities, `(n,)` int64."""
    noise = torch.empty_like(log_chances).exponential_().log_()  # the Gumbel trick: argmax of log p + Gumbel noise
    return (log_chances - noise).argmax(1)
