"""How all models take their steps: AdamW, gradients clipped, a learning rate that rises and falls."""

from copy import deepcopy
from typing import Final, TypeVar

import torch
from torch import nn

from training.models.batches import Device

Model = TypeVar("Model", bound=nn.Module)

_WARM_UP_STEPS: Final = 40
_LEAST_SHARE: Final = 0.02
_LONGEST_GRADIENT: Final = 1.0


class Optimising:
    """Of the weights of `model` that are trained, at a learning rate of up to `rate`. `steps` have been taken.

    What is trained on is `working`, a copy of the model: on a GPU its weights have 16 bits, which steps are too small
    for, so they are taken by the model's own, and copied."""

    def __init__(
        self, model: nn.Module, rate: float, device: Device, *, betas: tuple[float, float] = (0.9, 0.999)
    ) -> None:
        self.working = computing(model, device).train()
        self._weights = [each for each in model.parameters() if each.requires_grad]
        self._copies = [each for each in self.working.parameters() if each.requires_grad]
        self._optimiser = torch.optim.AdamW(self._weights, rate, betas, weight_decay=0.01, fused=device.is_gpu)
        self._rate = rate
        self.steps = 0

    def step(self, loss: torch.Tensor, done: float) -> None:
        """`done` is the share of the training that is behind this step, in [0, 1)."""
        for group in self._optimiser.param_groups:
            group["lr"] = self._rate * _learning_share(self.steps, done)
        loss.backward()
        for weight, copied in zip(self._weights, self._copies, strict=True):
            weight.grad = None if copied.grad is None else copied.grad.float()
            copied.grad = None
        torch.nn.utils.clip_grad_norm_(self._weights, _LONGEST_GRADIENT)
        self._optimiser.step()
        with torch.no_grad():
            for weight, copied in zip(self._weights, self._copies, strict=True):
                copied.copy_(weight)
        self.steps += 1


def computing(model: Model, device: Device) -> Model:
    """A copy that computes as fast as the device can."""
    copied: Model = deepcopy(model).to(device.precision)
    return copied


def _learning_share(step: int, done: float) -> float:
    """Of the learning rate: up over 40 steps, then down to 2 % as `done` goes from 0 to 1."""
    return min(1.0, (step + 1) / _WARM_UP_STEPS) * max(_LEAST_SHARE, 1 - done)
