"""What an endpoint of one's own makes of questions: `make eval-model MODEL_URL=... MODEL_NAME=... MODEL_KEY=...`.

Over the demonstration site and its golden questions, or over the websites and questions of DATA (`questions.jsonl`,
`sites.json`, `sites.tar.gz`).
"""

import os
import re
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Iterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from app.core.text.answer_words import has_failure_words
from app.core.turn import AnsweredBy
from app.providers.chat.chat_model import ChatEnd, ChatItem, ChatMessage, ChatModel, ChatStream
from app.providers.chat.openai_chat_model import OpenAIChatModel
from tests.model_answers import measures
from tests.model_answers.house import demo_pages, packed_pages, read_site

_GOLDEN = measures.OWN.parent / "demo_golden_questions.jsonl"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the patterns of which each group must be met; none for one that the site does not answer."""

    question: str
    expected: tuple[tuple[str, ...], ...]


@dataclass
class Tally:
    """Counts of answers; tokens, and seconds until the first word, of the endpoint."""

    right: int = 0
    partly: int = 0
    wrong: int = 0
    withheld: int = 0
    unconfirmed: int = 0
    quoted: int = 0
    asked: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0

    def count(self, asked: Asked, answer: str, *, is_held_back: bool) -> None:
        met = [any(re.search(one, answer, re.IGNORECASE) for one in group) for group in asked.expected]
        self.asked += 1
        if is_held_back or not asked.expected:
            self.withheld += is_held_back
            self.wrong += not is_held_back
        elif all(met):
            self.right += 1
        elif any(met):
            self.partly += 1
        else:
            self.wrong += 1

    def in_words(self) -> str:
        return (
            f"{self.asked} questions: {self.right} right, {self.partly} partly, {self.wrong} wrong or not to be "
            f"answered, {self.withheld} withheld; {self.unconfirmed} with unconfirmed sentences, {self.quoted} quoted "
            f"instead; {self.prompt_tokens} tokens read, {self.completion_tokens} written, "
            f"{self.seconds / max(self.asked, 1):.1f} s a question"
        )


class CountedModel:
    """The endpoint, whose tokens are counted."""

    def __init__(self, model: ChatModel, tally: Tally) -> None:
        self._model = model
        self._tally = tally

    @asynccontextmanager
    async def stream(self, messages: Sequence[ChatMessage], *, max_tokens: int) -> AsyncIterator[ChatStream]:
        async with (
            self._model.stream(messages, max_tokens=max_tokens) as items,
            aclosing(self._counted(items)) as counted,
        ):
            yield counted

    async def _counted(self, items: ChatStream) -> AsyncGenerator[ChatItem, None]:
        async for item in items:
            if isinstance(item, ChatEnd):
                self._tally.prompt_tokens += item.usage.prompt_tokens
                self._tally.completion_tokens += item.usage.completion_tokens
            yield item


async def measure_endpoint(kept: Path, folders: Sequence[Path]) -> Tally:
    tally = Tally()
    model = OpenAIChatModel(
        base_url=os.environ["MODEL_URL"],
        model=os.environ["MODEL_NAME"],
        api_key=os.environ.get("MODEL_KEY"),
        max_retries=0,
    )
    for name, pages, questions in _sites(folders):
        async with read_site(kept / name, name, pages, CountedModel(model, tally)) as site:
            for asked in questions:
                began = perf_counter()
                answer = await site.ask(asked.question, "")
                tally.seconds += perf_counter() - began
                tally.unconfirmed += bool((answer.check or {}).get("not_confirmed"))
                tally.quoted += answer.check is not None and answer.answered_by is AnsweredBy.EXTRACTIVE
                is_held_back = not measures.is_shown_as_sure(answer) or has_failure_words(answer.answer)
                tally.count(asked, answer.answer, is_held_back=is_held_back)
    await model.close()
    sys.stdout.write(f"{os.environ['MODEL_NAME']}: {tally.in_words()}\n")
    return tally


def _sites(folders: Sequence[Path]) -> Iterator[tuple[str, Any, list[Asked]]]:
    given = list(measures.rows(folders, "questions.jsonl"))
    if not given:
        yield "demo", demo_pages(), [_golden(row) for row in measures.rows([_GOLDEN.parent], _GOLDEN.name)]
    for folder in folders:
        for archive in folder.glob("sites.tar.gz"):
            for name in sorted({row["site"] for row in given}):
                asked = [Asked(row["question"], _groups(row)) for row in given if row["site"] == name]
                yield name, packed_pages(archive, name), asked


def _golden(row: dict[str, Any]) -> Asked:
    words = row.get("answer_contains") or []
    return Asked(row["question"], tuple((re.escape(word),) for word in words) if row["answerable"] else ())


def _groups(row: dict[str, Any]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(tuple, row["expect"])) if row["answerable"] else ()
