"""`docent eval`: how good search is on questions whose answers are known."""

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Annotated, Literal

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from app.agents.retrieval_settings import RetrievalSettings
from app.cli.evaluation.ablation_report import show_ablation
from app.cli.evaluation.evaluation_house import open_evaluation_house
from app.cli.evaluation.evaluation_report import as_json_object, print_report
from app.cli.evaluation.golden_run import run_golden
from app.cli.terminal import AsJson, err, fail, print_json, run, settings_for
from app.core.errors import InvalidInput
from app.quality.evaluation.ablation import MECHANISMS, Effect, ablate
from app.quality.evaluation.evaluation import STAGES, EvaluationReport, evaluate
from app.quality.evaluation.evaluation_set import FORMAT, EvaluationSet, read_evaluation_set
from app.settings import Settings

_COLUMNS = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())


def eval_(
    folder: Annotated[Path | None, typer.Argument(metavar="DIR", help="Documents, chunks and questions.")] = None,
    chunks: Annotated[
        Literal["given", "own"], typer.Option(help="Search the set's chunks, or cut its documents ourselves.")
    ] = "given",
    limit: Annotated[
        int | None, typer.Option(min=1, help="Ask so many questions, drawn by kind; the corpus stays whole.")
    ] = None,
    stages: Annotated[
        str, typer.Option(metavar="A,B", help=f"Report on these alone, of {', '.join(STAGES)}.")
    ] = ",".join(STAGES),
    ablate_: Annotated[
        bool, typer.Option("--ablate", help="Say instead what each mechanism of search gains and costs.")
    ] = False,
    agent: Annotated[
        str | None, typer.Option("--agent", help="Ask this agent its own golden questions, instead of a set.")
    ] = None,
    draft: Annotated[bool, typer.Option("--draft", help="With --agent: by its draft.")] = False,
    as_json: AsJson = False,
) -> None:
    """Measure search on a set of questions, stage by stage."""
    shown = [stage.strip() for stage in stages.split(",") if stage.strip()]
    if not shown or not set(shown) <= set(STAGES):
        fail(f"--stages: name some of {', '.join(STAGES)}, with commas between them.", 2)
    if agent is not None:
        run(run_golden(settings_for(), agent, "draft" if draft else "live", shown, as_json=as_json))
        return
    if folder is None:
        fail(f"Name the set: docent eval DIR.\n{FORMAT}", 2)
    try:
        of = read_evaluation_set(folder)
        of = of.without_its_chunks() if chunks == "own" else of
    except InvalidInput as error:
        fail(str(error), 2)
    of = of.sampled(limit) if limit else of
    began = perf_counter()
    with tempfile.TemporaryDirectory(prefix="docent-eval-") as data:
        settings = settings_for(data=Path(data), database_url="", vectors_uri="", redis_url="", log_level="error")
        if ablate_:
            show_ablation(of.name, run(_ablated(settings, of)), round(perf_counter() - began, 1), as_json=as_json)
            return
        report = run(_evaluated(settings, of, shown))
    seconds = round(perf_counter() - began, 1)
    if report.degraded:
        err.print(f"[bold yellow]{report.degraded} questions were searched with a part of the pipeline away.[/]")
    if as_json:
        print_json(as_json_object(of.name, report, seconds))
    else:
        print_report(of, report, seconds)


async def _evaluated(settings: Settings, of: EvaluationSet, stages: Sequence[str]) -> EvaluationReport:
    with Progress(*_COLUMNS, console=err) as progress:
        learning = progress.add_task("Learning documents", total=len(of.documents))
        async with open_evaluation_house(settings, of, RetrievalSettings()) as house:
            await house.learn(lambda learnt: progress.update(learning, completed=learnt))
            asking = progress.add_task("Asking questions", total=len(of.questions))
            return await evaluate(of, house, lambda asked: progress.update(asking, completed=asked), stages)


async def _ablated(settings: Settings, of: EvaluationSet) -> list[Effect]:
    with Progress(*_COLUMNS, console=err) as progress:
        learning = progress.add_task("Learning documents", total=len(of.documents))
        async with open_evaluation_house(settings, of, RetrievalSettings()) as house:
            await house.learn(lambda learnt: progress.update(learning, completed=learnt))
            asking = progress.add_task("As it is", total=len(MECHANISMS))

            def begin(mechanism: str) -> None:
                progress.update(asking, description=mechanism, advance=1)

            return await ablate(of, house, on_mechanism=begin)
