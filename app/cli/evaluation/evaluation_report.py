"""What `docent eval` says."""

from collections.abc import Sequence
from dataclasses import asdict, fields
from enum import Enum
from typing import Any

from app.agents.retrieval_settings import RetrievalSettings
from app.cli.terminal import out, print_json, table
from app.quality.evaluation.ablation import Effect
from app.quality.evaluation.evaluation import EvaluationReport
from app.quality.evaluation.evaluation_set import EvaluationSet

_SHOWN = (
    "pass@5", "pass@10", "pass@20", "hit@5", "hit@10", "mrr@10", "ndcg@10", "page_hit@5", "page_hit@10", "page_mrr@10",
)  # fmt: skip


def as_json_object(name: str, report: EvaluationReport, seconds: float) -> dict[str, Any]:
    """What `--json` prints. Metrics are fractions 0..1."""
    found = {
        "set": name,
        "stages": report.stages,
        "answerability": {kind: asdict(parted) for kind, parted in report.separations.items()},
        "seconds": seconds,
        "questions": report.questions,
        "intervals": {stage: report.intervals(stage) for stage in report.stages},
        "held_back": report.held_back,
        "degraded": report.degraded,
    }
    if report.by_language:
        found["languages"] = report.by_language
        found["abstention"] = {language: asdict(each) for language, each in report.abstention.items()}
    return found


def print_report(of: EvaluationSet, report: EvaluationReport, seconds: float) -> None:
    *_, last = report.stages
    metrics = [metric for metric in _SHOWN if metric in report.stages[last]]
    shown = table("stage", *metrics, title=f"{of.name}: {report.questions} questions, {seconds:g} s")
    for stage in report.stages:
        shown.add_row(stage, *(f"{report.stages[stage][metric]:.3f}" for metric in metrics))
    interval = report.intervals(last)
    shown.add_row("95 %", *(f"{interval[metric][0]:.3f}-{interval[metric][1]:.3f}" for metric in metrics))
    out.print(shown)
    for language, stages in sorted(report.by_language.items()):
        row = ", ".join(f"{stage} {stages[stage]['hit@5']:.3f}" for stage in stages if "hit@5" in stages[stage])
        out.print(f"{language}: hit@5 {row}", highlight=False)
    for language, told in sorted(report.abstention.items()):
        aurocs = [f"AUROC {kind} {parted.auroc:.3f}" for kind, parted in told.separations.items()]
        shares = [f"{kind} {share:.1%}" for kind, share in told.held_back.items()]
        out.print(f"{language}: {', '.join([*aurocs, 'held back ' + ', '.join(shares)])}", highlight=False)
    for kind, parted in report.separations.items():
        out.print(
            f"{kind}: AUROC {parted.auroc:.3f}, best F1 {parted.best_f1:.3f} from {parted.threshold:.2f}, "
            f"F1 of gaps {parted.gap_f1:.3f}",
            highlight=False,
        )
    for kind, share in report.held_back.items():
        out.print(f"{kind}: {share:.1%} held back at the default threshold", highlight=False)


def show_ablation(name: str, effects: Sequence[Effect], seconds: float, *, as_json: bool) -> None:
    """Gains in points, with their 95 % intervals; one that spans 0 may be chance."""
    if as_json:
        print_json({"set": name, "mechanisms": [_json(effect) for effect in effects], "seconds": seconds})
        return
    metrics = list(effects[0].gains) if effects else []
    kinds = list(effects[0].auroc) if effects else []
    columns = ("mechanism", *metrics, *(f"AUROC {kind}" for kind in kinds), "ms")
    shown = table(*columns, title=f"{name}: difference from the defaults, in points; {seconds:g} s")
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
