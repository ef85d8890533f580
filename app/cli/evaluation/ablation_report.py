"""What `docent eval --ablate` says."""

from collections.abc import Sequence
from dataclasses import fields
from enum import Enum
from typing import Any

from app.agents.retrieval_settings import RetrievalSettings
from app.cli.terminal import out, print_json, table
from app.quality.evaluation.ablation import Effect


def show_ablation(name: str, effects: Sequence[Effect], seconds: float, *, as_json: bool) -> None:
    """Gains in points, with their 95 % intervals; one that spans 0 may be chance."""
    if as_json:
        print_json({"set": name, "mechanisms": [_json(effect) for effect in effects], "seconds": seconds})
        return
    metrics = list(effects[0].gains) if effects else []
    kinds = list(effects[0].auroc) if effects else []
    columns = ("mechanism", *metrics, *(f"AUROC {kind}" for kind in kinds), "ms")
    shown = table(*columns, title=f"{name}: against the defaults, in points; {seconds:g} s")
    for effect in effects:
        gains = (effect.gains[metric] for metric in metrics)
        shown.add_row(
            effect.mechanism.name,
            *(f"{100 * mean:+.1f} ({100 * low:+.1f}..{100 * high:+.1f})" for mean, low, high in gains),
            *(f"{100 * effect.auroc[kind]:+.1f}" for kind in kinds),
            f"{effect.milliseconds:+.0f}",
        )
    out.print(shown)


def _json(effect: Effect) -> dict[str, Any]:
    defaults = {field.name: getattr(RetrievalSettings(), field.name) for field in fields(RetrievalSettings)}
    changes = effect.mechanism.changes
    return {
        "name": effect.mechanism.name,
        "settings": {key: value.value if isinstance(value, Enum) else value for key, value in changes.items()},
        "is_default": all(defaults[key] == value for key, value in changes.items()),
        "gains": {metric: list(gain) for metric, gain in effect.gains.items()},
        "auroc": effect.auroc,
        "ms": round(effect.milliseconds, 2),
    }
