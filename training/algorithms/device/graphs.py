"""CUDA graphs: a fixed sequence of GPU work, queued as one."""

from collections.abc import Callable

import torch


class Recorded:
    """Work without arguments that reads and writes the same tensors each time.

    On a GPU the first call runs it, the second records it as a CUDA graph, and from then on the graph is replayed. It
    must not wait for the GPU or make tensors of a size that depends on numbers there. On the processor it always runs.
    """

    def __init__(self, work: Callable[[], None], device: torch.device) -> None:
        self._work, self._device = work, device
        self._graph: torch.cuda.CUDAGraph | None = None
        self._warm = False

    def __call__(self) -> None:
        if self._device.type != "cuda":
            self._work()
        elif not self._warm:
            self._warm = True
            side = torch.cuda.Stream(self._device)  # type: ignore[no-untyped-call]  # autograd keeps the stream of its first run
            side.wait_stream(torch.cuda.current_stream(self._device))
            with torch.cuda.stream(side):
                self._work()
            torch.cuda.current_stream(self._device).wait_stream(side)
        else:
            if self._graph is None:
                torch.cuda.synchronize(self._device)
                self._graph = torch.cuda.CUDAGraph()
                with torch.cuda.graph(self._graph):
                    self._work()
            self._graph.replay()
