"""How all models take their steps: AdamW, gradients clipped, a learning rate that rises and falls."""

from typing import Final

import torch
from torch import nn

_WARM_UP_STEPS: Final = 40
_LEAST_SHARE: Final = 0.02
_LONGEST_GRADIENT: Final = 1.0


class Optimising:
    """Of the weights of `model` that are trained, at a learning rate of up to `rate`. `steps` have been taken."""

    def __init__(
        self, model: nn.Module, rate: float, *, is_on_gpu: bool, betas: tuple[float, float] = (0.9, 0.999)
    ) -> None:
        self._weights = [each for each in model.parameters() if each.requires_grad]
        self._optimiser = torch.optim.AdamW(self._weights, rate, betas, weight_decay=0.01, fused=is_on_gpu)
        self._rate = rate
        self.steps = 0

    def step(self, loss: torch.Tensor, done: float) -> None:
        """`done` is the share of the training that is behind this step, in [0, 1)."""
        for group in self._optimiser.param_groups:
            group["lr"] = self._rate * _learning_share(self.steps, done)
        self._optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self._weights, _LONGEST_GRADIENT)
        self._optimiser.step()
        self.steps += 1


def _learning_share(step: int, done: float) -> float:
    """Of the learning rate: up over 40 steps, then down to 2 % as `done` goes from 0 to 1."""
    return min(1.0, (step + 1) / _WARM_UP_STEPS) * max(_LEAST_SHARE, 1 - done)
