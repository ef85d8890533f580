"""`docent eval`: measures search on questions whose answers are known."""

import tempfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, fields
from enum import Enum
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any, Literal
from uuid import uuid4

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from app.agents.agent import Version
from app.agents.model_endpoints import ChatModelNames
from app.agents.retrieval_settings import RetrievalSettings
from app.bootstrap.answering import open_answering
from app.bootstrap.infrastructure import open_infrastructure
from app.cli.evaluation_house import EvaluationHouse, open_evaluation_house
from app.cli.local_operator import ALONE, live_agent, local_operator, meant_agent
from app.cli.terminal import AsJson, err, fail, out, print_json, run, settings_for, table
from app.core.errors import InvalidInput
from app.kit.pattern_matcher import PatternMatcher
from app.quality.evaluation.ablation import MECHANISMS, Effect, ablate
from app.quality.evaluation.evaluation import STAGES, EvaluationReport, ask_all, evaluate, report
from app.quality.evaluation.evaluation_set import FORMAT, EvaluationSet, read_evaluation_set
from app.quality.golden_question import GoldenMark, GoldenQuestion, Judge, ModelSide, Trial
from app.quality.golden_questions import GoldenQuestions
from app.quality.golden_run_execution import VersionSearch, golden_set, mark
from app.quality.golden_runs import GoldenRuns
from app.quality.trial_search import TrialSearch
from app.settings import Settings

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
    interval = report.intervals(last)
    rows = [(stage, *(f"{report.stages[stage][metric]:.3f}" for metric in metrics)) for stage in report.stages]
    rows += [("95 %", *(f"{interval[metric][0]:.3f}-{interval[metric][1]:.3f}" for metric in metrics))]
    out.print(table(("stage", *metrics), rows, f"{of.name}: {report.questions} questions, {seconds:g} s"))
    for language, stages in sorted(report.by_language.items()):
        row = ", ".join(f"{stage} {stages[stage]['hit@5']:.3f}" for stage in stages if "hit@5" in stages[stage])
        out.print(f"{language}: hit@5 {row}", highlight=False)
    for language, abstention in sorted(report.abstention.items()):
        aurocs = [f"AUROC {kind} {parted.auroc:.3f}" for kind, parted in abstention.separations.items()]
        shares = [f"{kind} {share:.1%}" for kind, share in abstention.held_back.items()]
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
    """Print each mechanism's gains in percentage points with 95 % intervals; one that includes 0 may be chance."""
    if as_json:
        print_json({"set": name, "mechanisms": [_json(effect) for effect in effects], "seconds": seconds})
        return
    metrics = list(effects[0].gains) if effects else []
    kinds = list(effects[0].auroc) if effects else []
    columns = ("mechanism", *metrics, *(f"AUROC {kind}" for kind in kinds), "ms")
    shown = table(columns, title=f"{name}: difference from the defaults, in points; {seconds:g} s")
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


async def run_golden(settings: Settings, named: str, version: Version, stages: Sequence[str], *, as_json: bool) -> None:
    """Raises InvalidInput for an agent that does not exist or is not published. Ends the command if the agent has no
    golden questions."""
    began = perf_counter()
    async with open_infrastructure(settings) as base, open_answering(base) as answering:
        actor = await local_operator(base)
        agent = await meant_agent(base, actor, named)
        if version == "live":
            await live_agent(base, agent)
        golden = await GoldenQuestions(base.record, PatternMatcher()).all_of_agent(actor, agent.id)
        if not golden:
            fail("The agent has no golden questions. Add some with `docent agent import-golden FILE.csv`.", 2)
        trials = TrialSearch(answering.playground, PatternMatcher())
        of = golden_set(agent.draft.name, golden)
        rankings = await ask_all(of, VersionSearch(trials, actor.workspace_id, golden, Trial(version)))
    found = report(of, rankings, stages)
    marks = [(question, mark(question, ranking)) for question, ranking in zip(golden, rankings, strict=True)]
    seconds = round(perf_counter() - began, 1)
    if as_json:
        outcomes = [_outcome_json(*one) for one in marks]
        print_json(as_json_object(of.name, found, seconds) | {"version": version, "outcomes": outcomes})
        return
    print_report(of, found, seconds)
    _print_wrong([one for one in marks if not one[1].is_right], len(marks))


async def run_golden_models(settings: Settings, named: str, models: str, judge: Judge, *, as_json: bool) -> None:
    """Compare the answers of `models` (comma separated) to the golden questions. Raises InvalidInput for an unknown
    agent. Ends the command for an unknown model, and if the agent has no golden questions."""
    began = perf_counter()
    async with open_infrastructure(settings) as base, open_answering(base) as answering:
        actor, trials = await local_operator(base), TrialSearch(answering.playground, PatternMatcher())
        agent = await meant_agent(base, actor, named)
        runs = GoldenRuns(base.record, trials, base.clock, ChatModelNames(settings.models))
        try:
            asking = await runs.of_models(actor, agent.id, [name.strip() for name in models.split(",")], judge)
        except InvalidInput as error:
            fail(str(error), 2)
        while not asking.is_complete:
            await asking.ask_some()
        run = asking.as_run(uuid4(), actor.name, base.clock.now(), round((perf_counter() - began) * 1000))
    if as_json:
        print_json({"models": [_model_json(side) for side in run.models], "questions": run.questions})
        return
    rows = (("-" if value is None else value for value in _model_json(side).values()) for side in run.models)
    out.print(table(_OF_MODELS, rows, f"{agent.draft.name}: {run.asked} of {run.questions} questions"))


_OF_MODELS = ("model", "right", "wrong", "withheld", "unconfirmed", "tokens", "cost", "first_ms", "ms")


def _model_json(side: ModelSide) -> dict[str, Any]:
    return {name: getattr(side, name) for name in _OF_MODELS}


def _outcome_json(golden: GoldenQuestion, outcome: GoldenMark) -> dict[str, Any]:
    return {
        "question": golden.question,
        "pages": list(golden.pages),
        "answer_contains": list(golden.answer_contains),
        "answer_matches": list(golden.answer_matches),
        "place": outcome.place,
        "confidence": outcome.confidence,
        "would_answer": outcome.would_answer,
        "is_right": outcome.is_right,
        "missing": list(outcome.missing),
    }


def _print_wrong(wrong: Sequence[tuple[GoldenQuestion, GoldenMark]], of: int) -> None:
    out.print(f"{of - len(wrong)} of {of} are right.", highlight=False)
    if not wrong:
        return
    shown = table(("question", "expected", "found at", "conf.", "would answer", "missing in the answer"))
    for golden, outcome in wrong:
        words = (*golden.answer_contains, *golden.answer_matches)
        expected = "\n".join((*golden.pages, *words)) or "no answer"
        place = "" if outcome.place is None else str(outcome.place)
        answers = "yes" if outcome.would_answer else "no"
        confidence, missing = f"{outcome.confidence:.2f}", escape("\n".join(outcome.missing))
        shown.add_row(golden.question, escape(expected), place, confidence, answers, missing)
    out.print(shown)


def eval_(
    folder: Annotated[
        Path | None, typer.Argument(metavar="DIR", help="A folder with documents, chunks and questions.")
    ] = None,
    chunks: Annotated[
        Literal["given", "own"],
        typer.Option(help="Search the set's own chunks, or chunks that Docent makes of its documents."),
    ] = "given",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask only this many questions, sampled by kind, over all documents.")
    ] = None,
    stages: Annotated[
        str, typer.Option(metavar="A,B", help=f"Report only on these stages, out of {', '.join(STAGES)}.")
    ] = ",".join(STAGES),
    ablate_: Annotated[
        bool, typer.Option("--ablate", help="Instead, measure what each mechanism of search gains and costs.")
    ] = False,
    agent: Annotated[
        str | None, typer.Option("--agent", help="Instead of a set, ask this agent its own golden questions.")
    ] = None,
    draft: Annotated[bool, typer.Option("--draft", help="With --agent: ask the draft.")] = False,
    models: Annotated[
        str,
        typer.Option(
            metavar="A,B",
            help="With --agent: compare the draft's answers by these chat models: usual, those that agents may choose, "
            "none.",
        ),
    ] = "",
    judge: Annotated[
        bool,
        typer.Option("--judge", help="With --models: the helper model judges expected texts that words do not find."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Measure search on a set of questions, stage by stage."""
    shown = [stage.strip() for stage in stages.split(",") if stage.strip()]
    if not shown or not set(shown) <= set(STAGES):
        fail(f"--stages: choose from {', '.join(STAGES)}, separated by commas.", 2)
    if agent is not None and models:
        run(run_golden_models(settings_for(), agent, models, "model" if judge else "words", as_json=as_json))
        return
    if agent is not None:
        run(run_golden(settings_for(), agent, "draft" if draft else "live", shown, as_json=as_json))
        return
    if folder is None:
        fail(f"Enter the folder of a set: docent eval DIR.\n{FORMAT}", 2)
    try:
        of = read_evaluation_set(folder)
        of = of.without_its_chunks() if chunks == "own" else of
    except InvalidInput as error:
        fail(str(error), 2)
    of = of.sampled(limit) if limit else of
    began = perf_counter()
    with tempfile.TemporaryDirectory(prefix="docent-eval-") as data:
        settings = settings_for(data=Path(data), log_level="error", **ALONE)
        if ablate_:
            show_ablation(of.name, run(_ablated(settings, of)), round(perf_counter() - began, 1), as_json=as_json)
            return
        report = run(_evaluated(settings, of, shown))
    seconds = round(perf_counter() - began, 1)
    if report.degraded:
        err.print(f"[bold yellow]{report.degraded} questions were searched without a part of the pipeline.[/]")
    if as_json:
        print_json(as_json_object(of.name, report, seconds))
    else:
        print_report(of, report, seconds)


async def _evaluated(settings: Settings, of: EvaluationSet, stages: Sequence[str]) -> EvaluationReport:
    async with _learnt(settings, of) as (house, progress):
        asking = progress.add_task("Asking questions", total=len(of.questions))
        return await evaluate(of, house, lambda done: progress.update(asking, completed=done), stages)


async def _ablated(settings: Settings, of: EvaluationSet) -> list[Effect]:
    async with _learnt(settings, of) as (house, progress):
        asking = progress.add_task("As it is", total=len(MECHANISMS))
        return await ablate(of, house, on_mechanism=lambda name: progress.update(asking, description=name, advance=1))


@asynccontextmanager
async def _learnt(settings: Settings, of: EvaluationSet) -> AsyncIterator[tuple[EvaluationHouse, Progress]]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as progress:
        learning = progress.add_task("Learning documents", total=len(of.documents))
        async with open_evaluation_house(settings, of, RetrievalSettings()) as house:
            await house.learn(lambda learnt: progress.update(learning, completed=learnt))
            yield house, progress
