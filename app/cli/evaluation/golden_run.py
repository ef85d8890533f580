"""`docent eval --agent`: an agent's own golden questions, over what it has learnt."""

from collections.abc import Sequence
from time import perf_counter
from typing import Any

from rich.markup import escape

from app.agents.agent import Version
from app.bootstrap.answering import open_answering
from app.bootstrap.infrastructure import open_infrastructure
from app.cli.evaluation.evaluation_report import as_json_object, print_report
from app.cli.local_operator import live_agent, local_operator, meant_agent
from app.cli.terminal import fail, out, print_json, table
from app.kit.pattern_matcher import PatternMatcher
from app.quality.evaluation.evaluation import ask_all, report
from app.quality.evaluation.golden_set import GoldenOutcome, golden_set, outcome
from app.quality.golden_questions import GoldenQuestions
from app.quality.golden_run_execution import VersionSearch
from app.quality.trial_search import TrialSearch
from app.settings import Settings


async def run_golden(settings: Settings, named: str, version: Version, stages: Sequence[str], *, as_json: bool) -> None:
    """Ends the command where the agent is not there, not published, or has no golden question."""
    began = perf_counter()
    async with open_infrastructure(settings) as base, open_answering(base) as answering:
        actor = await local_operator(base)
        agent = await meant_agent(base, actor, named)
        if version == "live":
            await live_agent(base, agent)
        golden = await GoldenQuestions(base.record, PatternMatcher()).all_of_agent(actor, agent.id)
        if not golden:
            fail("The agent has no golden question. Add some with `docent agent import-golden FILE.csv`.", 2)
        trials = TrialSearch(answering.playground, PatternMatcher())
        of = golden_set(agent.draft.name, golden)
        rankings = await ask_all(of, VersionSearch(trials, actor.workspace_id, golden, version))
    found = report(of, rankings, stages)
    outcomes = [outcome(question, ranking) for question, ranking in zip(golden, rankings, strict=True)]
    seconds = round(perf_counter() - began, 1)
    if as_json:
        told = [_json(one) for one in outcomes]
        print_json(as_json_object(of.name, found, seconds) | {"version": version, "outcomes": told})
        return
    print_report(of, found, seconds)
    _print_wrong([one for one in outcomes if not one.is_right], len(outcomes))


def _json(one: GoldenOutcome) -> dict[str, Any]:
    return {
        "question": one.question.question,
        "pages": list(one.question.pages),
        "answer_contains": list(one.question.answer_contains),
        "answer_matches": list(one.question.answer_matches),
        "place": one.place,
        "confidence": one.confidence,
        "would_answer": one.would_answer,
        "is_right": one.is_right,
        "missing": list(one.missing),
    }


def _print_wrong(wrong: Sequence[GoldenOutcome], of: int) -> None:
    out.print(f"{of - len(wrong)} of {of} go as they should.", highlight=False)
    if not wrong:
        return
    shown = table("question", "expected", "found at", "conf.", "would answer", "the answer lacks")
    for one in wrong:
        asked = one.question
        words = (*asked.answer_contains, *asked.answer_matches)
        expected = "\n".join((*asked.pages, *words)) or "that it declines"
        place = "" if one.place is None else str(one.place)
        answers = "yes" if one.would_answer else "no"
        shown.add_row(
            asked.question, escape(expected), place, f"{one.confidence:.2f}", answers, escape("\n".join(one.missing))
        )
    out.print(shown)
