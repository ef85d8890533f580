"""The console's page for golden questions: edit, import, ask draft and live, and see what was won and lost."""

from collections.abc import Sequence
from uuid import UUID

from app.agents.agent import Version
from app.answers.playground import Playground, PlaygroundQuestion
from app.core.errors import ModelInterrupted
from app.core.list_page import PageRequest
from app.quality.api.golden_questions import GoldenImport, GoldenQuestionCreate
from app.quality.golden_question import GoldenMark, GoldenQuestion, GoldenSide, Judge
from app.quality.golden_questions import MAX_CSV_CHARS, GoldenQuestions
from app.quality.golden_runs import GoldenRuns
from app.web.console.page import Form, Go, ListWanted, MenuEntry, NoForm, Pages, Shown, Visit, action, page, read, write

_SHOWN, _RUNS = 100, 10
_LOST = 3  # lost questions whose answers are shown


class GoldenForm(GoldenQuestionCreate, Form): ...


class ImportForm(GoldenImport, Form): ...


class ModelsForm(Form):
    models: tuple[str, ...] = ()
    judge: Judge = "words"


class GoldenPages(Pages):
    _golden: GoldenQuestions
    _runs: GoldenRuns
    _playground: Playground

    @page(
        "/console/agents/{agent_id}/golden",
        access=read,
        menu=MenuEntry("Golden questions", "Knowledge", 2, "target"),
    )
    async def golden(self, visit: Visit[ListWanted]) -> Shown:
        page = await self._golden.questions(visit.actor, visit.agent.id, visit.input.part(_SHOWN))
        runs = await self._runs.page(visit.actor, visit.agent.id, PageRequest(_RUNS))
        about = {"page": page, "runs": runs.items, "wanted": visit.input}
        return Shown("quality/pages/golden.html", about | {"models": await self._runs.choices(visit.actor)})

    @action("/console/agents/{agent_id}/golden", access=write, shown_on="golden")
    async def add_golden(self, visit: Visit[GoldenForm]) -> Go:
        await self._golden.create(visit.actor, visit.input.written_for(visit.agent.id))
        return Go(visit.url("golden"), "Question added.")

    @action(
        "/console/agents/{agent_id}/golden/import", access=write, shown_on="golden", max_body_bytes=4 * MAX_CSV_CHARS
    )
    async def import_golden(self, visit: Visit[ImportForm]) -> Go:
        receipt = await self._golden.import_csv(visit.actor, visit.agent.id, visit.input.csv)
        return Go(visit.url("golden"), f"{receipt.added} added, {receipt.changed} changed.")

    @action("/console/agents/{agent_id}/golden/run", access=write, shown_on="golden")
    async def run_golden(self, visit: Visit[NoForm]) -> Go:
        run = await self._runs.run(visit.actor, visit.agent.id)
        rest = " A worker is asking the rest." if run.is_running else ""
        return Go(visit.url("golden_run", golden_run_id=run.id), f"{run.asked} of {run.questions} asked.{rest}")

    @action("/console/agents/{agent_id}/golden/models", access=write, shown_on="golden")
    async def compare_models(self, visit: Visit[ModelsForm]) -> Go:
        run = await self._runs.run_models(visit.actor, visit.agent.id, visit.input.models, visit.input.judge)
        return Go(visit.url("golden_run", golden_run_id=run.id), "A worker is asking the questions.")

    @page("/console/agents/{agent_id}/golden/runs/{golden_run_id}", access=read, under="golden")
    async def golden_run(self, visit: Visit[NoForm]) -> Shown:
        run = await self._runs.golden_run(visit.actor, visit.agent.id, visit.path_id("golden_run_id"))
        sides = [(name, side) for name, side in (("draft", run.draft), ("live", run.live)) if side is not None]
        sides += [(side.model, side) for side in run.models]
        heads = ["Step", *(f">{name.capitalize()}: {label}" for name, _ in sides for label in _METRICS.values())]
        about = {"run": run, "sides": sides, "steps": _STEPS, "metrics": _METRICS, "heads": heads}
        return Shown("quality/pages/golden_run.html", about | {"rows": _rows(sides)})

    @action("/console/agents/{agent_id}/golden/lost", access=write, shown_on="golden")
    async def lost_answers(self, visit: Visit[NoForm]) -> Shown:
        """Both versions' answers to the first questions that the draft loses."""
        _, run = await self._runs.comparison(visit.actor, visit.agent.id)
        draft, live = (_by_id(run.draft), _by_id(run.live)) if run else ({}, {})
        lost = [(mark, draft[key]) for key, mark in live.items() if mark.is_right and not draft[key].is_right]
        changed = [
            (
                before.question,
                [
                    ("Published", before, await self._answer(visit, before, "live")),
                    ("Draft", after, await self._answer(visit, after, "draft")),
                ],
            )
            for before, after in lost[:_LOST]
        ]
        return Shown("quality/pages/lost_answers.html", {"changed": changed, "lost": len(lost)})

    async def _answer(self, visit: Visit[NoForm], mark: GoldenMark, version: Version) -> str:
        golden = await self._golden.question(visit.actor, visit.agent.id, mark.golden_id)
        question = PlaygroundQuestion(golden.question, language=golden.language)
        try:
            return (await self._playground.ask(visit.actor.workspace_id, visit.agent.id, question, version)).answer
        except ModelInterrupted:
            return "The answer was interrupted."

    @page("/console/agents/{agent_id}/golden/{golden_id}", access=read, under="golden")
    async def golden_question(self, visit: Visit[NoForm]) -> Shown:
        return Shown("quality/pages/golden_question.html", {"golden": await self._stored(visit)})

    @action("/console/agents/{agent_id}/golden/{golden_id}", access=write, shown_on="golden_question")
    async def save_golden(self, visit: Visit[GoldenForm]) -> Go:
        stored = await self._stored(visit)
        await self._golden.change(visit.actor, visit.agent.id, stored.id, visit.input.applied_to)
        return Go(visit.url("golden"), "Question saved.")

    @action("/console/agents/{agent_id}/golden/{golden_id}/delete", access=write, shown_on="golden_question")
    async def delete_golden(self, visit: Visit[NoForm]) -> Go:
        await self._golden.delete(visit.actor, visit.agent.id, visit.path_id("golden_id"))
        return Go(visit.url("golden"), "Question deleted.")

    async def _stored(self, visit: Visit[Form]) -> GoldenQuestion:
        golden_id = visit.path_id("golden_id")
        return await self._golden.question(visit.actor, visit.agent.id, golden_id)


def _rows(sides: Sequence[tuple[str, GoldenSide]]) -> list[tuple[GoldenMark, ...]]:
    """The marks of each question, side by side; first the differences, then the failures."""
    return sorted(zip(*(side.marks for _, side in sides), strict=True), key=_weight)


def _by_id(side: GoldenSide | None) -> dict[UUID, GoldenMark]:
    return {} if side is None else {mark.golden_id: mark for mark in side.marks}


def _weight(marks: tuple[GoldenMark, ...]) -> int:
    right = [mark.is_right for mark in marks]
    return 2 if all(right) else 1 if not any(right) else 0


# The metrics of search that need no explanation.
_METRICS = {"page_hit@1": "first", "page_hit@5": "in first 5"}
_STEPS = {"vector": "By meaning", "keyword": "By words", "fused": "Both together", "reranked": "Final order"}
