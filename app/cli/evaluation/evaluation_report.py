"""What `docent eval` says."""

from dataclasses import asdict
from typing import Any

from app.cli.terminal import out, table
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
    return found | ({"languages": report.by_language} if report.by_language else {})


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
    for kind, parted in report.separations.items():
        out.print(
            f"{kind}: AUROC {parted.auroc:.3f}, best F1 {parted.best_f1:.3f} from {parted.threshold:.2f}, "
            f"F1 of gaps {parted.gap_f1:.3f}",
            highlight=False,
        )
    for kind, share in report.held_back.items():
        out.print(f"{kind}: {share:.1%} held back at the default threshold", highlight=False)
