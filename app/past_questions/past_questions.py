"""Asks an agent what people have asked elsewhere, once for all questions with the same meaning."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, Final
from uuid import UUID

from anyio import to_thread

from app.answers.playground import Playground, PlaygroundAnswer, PlaygroundQuestion
from app.core.actor import Actor
from app.core.turn import AnsweredBy, TurnEnd, TurnState, question_key
from app.gaps.question_nearness import ComparedQuestion, QuestionNearness
from app.kit.language_guesser import LanguageGuesser
from app.kit.tasks import few_at_once
from app.past_questions.past_conversation import PastQuestion
from app.providers.embedding.embedder import Embedder
from app.search.retrieval import without_candidates
from app.site_report.report_orders import Progress
from app.site_report.site_report import Share

_AT_ONCE: Final = 4
_READ_FOR_LANGUAGE: Final = 200  # questions; more would not change the language of most
_ANSWERS: Final = (AnsweredBy.CURATED, AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE)


@dataclass(frozen=True, slots=True)
class QuestionGroup:
    """Questions with one meaning, most frequent wording first. `end` is how a turn with the first would end."""

    questions: tuple[PastQuestion, ...]
    end: TurnEnd

    @property
    def question(self) -> str:
        return self.questions[0].text

    @property
    def is_answered(self) -> bool:
        """Whether a visitor would get an answer, with confidence."""
        return self.end.gap is None and self.end.answered_by in _ANSWERS

    @property
    def reply(self) -> str:
        """The team's reply to the first wording that has one, "" if none has."""
        return next((each.reply for each in self.questions if each.reply), "")

    @property
    def pages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(citation.page for citation in self.end.citations))

    def as_json(self) -> dict[str, Any]:
        return {
            "question": self.question,
            "count": len(self.questions),
            "is_answered": self.is_answered,
            "answered_by": self.end.answered_by.value,
            "confidence": self.end.confidence,
            "pages": self.pages,
            "questions": [asdict(each) for each in self.questions],
        }


@dataclass(frozen=True, slots=True)
class QuestionReplay:
    """Groups are most frequent first. `conversations` includes those without a question."""

    conversations: int
    groups: tuple[QuestionGroup, ...]

    @property
    def answered(self) -> list[QuestionGroup]:
        return [group for group in self.groups if group.is_answered]

    @property
    def unanswered(self) -> list[QuestionGroup]:
        return [group for group in self.groups if not group.is_answered]

    @property
    def share(self) -> Share:
        """The share of the questions that are in an answered group."""
        return Share(_count(self.answered), _count(self.groups))

    def as_json(self) -> dict[str, Any]:
        return {
            "conversations": self.conversations,
            "questions": self.share.total,
            "answered": {"count": self.share.count, "of": self.share.total, "interval": self.share.interval},
            "groups": [group.as_json() for group in self.groups],
        }


class PastQuestions:
    """Groups past questions and asks them; stores nothing."""

    def __init__(self, playground: Playground, embedder: Embedder, languages: LanguageGuesser) -> None:
        self._playground = playground
        self._languages = languages
        self._nearness = QuestionNearness(embedder, languages)

    async def replay(
        self, actor: Actor, agent_id: UUID, conversations: int, questions: Sequence[PastQuestion], on_progress: Progress
    ) -> QuestionReplay:
        """Ask the live agent the most frequent wording of each group. The questions are from that many `conversations`;
        `on_progress` receives the number of groups asked and of all groups. Raises NotFound, IndexUnavailable,
        EmbedderUnavailable, ModelInterrupted."""
        groups = await self._grouped(questions)
        ends = await few_at_once(
            [group[0].text for group in groups],
            partial(self.ask, actor, agent_id),
            _AT_ONCE,
            lambda done: on_progress(done, len(groups)),
        )
        return QuestionReplay(conversations, tuple(map(QuestionGroup, groups, ends)))

    async def ask(self, actor: Actor, agent_id: UUID, question: str) -> TurnEnd:
        answer = await self._playground.ask(actor.workspace_id, agent_id, PlaygroundQuestion(question), "live")
        return _end(answer)

    async def _grouped(self, questions: Sequence[PastQuestion]) -> list[tuple[PastQuestion, ...]]:
        """The questions by meaning, largest group first."""
        by_key: dict[str, list[PastQuestion]] = defaultdict(list)
        for question in questions:
            by_key[question_key(question.text)].append(question)
        wordings = {key: same[0].text for key, same in by_key.items()}
        readable = await to_thread.run_sync(self._readable, wordings)
        groups = await self._nearness.groups(wordings, readable)
        by_frequency = [sorted(group, key=lambda key: (-len(by_key[key]), len(key), key)) for group in groups]
        found = [tuple(question for key in group for question in by_key[key]) for group in by_frequency]
        return sorted(found, key=len, reverse=True)

    def _readable(self, wordings: dict[str, str]) -> list[ComparedQuestion]:
        guesses = Counter(self._languages.guess(text).language for text in list(wordings.values())[:_READ_FOR_LANGUAGE])
        of_most = next((language for language, _ in guesses.most_common(1)), None)
        return [ComparedQuestion(key, text) for key, text in wordings.items() if self._nearness.is_read(text, of_most)]


def _end(answer: PlaygroundAnswer) -> TurnEnd:
    found = {} if answer.retrieval is None else without_candidates(answer.retrieval).trace
    return TurnEnd(
        TurnState.DONE,
        answer.answer,
        answer.answered_by,
        answer.confidence,
        answer.is_low_confidence,
        answer.finish,
        answer.citations,
        language=answer.language,
        gap=answer.gap,
        curated_answer_id=answer.curated_answer_id,
        first_token_ms=answer.first_token_ms,
        duration_ms=answer.duration_ms,
        trace=found | {"standalone": answer.standalone},
    )


def _count(groups: Sequence[QuestionGroup]) -> int:
    return sum(len(group.questions) for group in groups)
