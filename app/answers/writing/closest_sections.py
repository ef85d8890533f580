"""Where no answer is sure enough: the sections that come closest, each with the line of it that comes closest."""

from collections.abc import AsyncGenerator, Sequence

from app.answers.writing.answer_context import AnswerContext
from app.answers.writing.passage_judge import PassageJudge
from app.answers.writing.passages import Passage, passages, single_lines
from app.answers.writing.quotation import word_for_word
from app.core.text.canned_messages import canned_messages
from app.core.text.section_text import markdown_name
from app.core.turn import AnsweredBy, Finish, TokenUsage
from app.providers.chat.chat_model import ChatEnd, TextDelta

_SECTIONS = 3


class ClosestSectionsWriter:
    """An AnswerWriter that claims nothing: it says that it has no exact answer and names up to three sections of what
    search found. Without any it says nothing."""

    answered_by = AnsweredBy.FALLBACK

    def __init__(self, judge: PassageJudge) -> None:
        self._judge = judge

    async def write(self, context: AnswerContext) -> AsyncGenerator[TextDelta | ChatEnd, None]:
        if closest := await self._closest(context):
            shown = await self._lines(context, list(closest.values()))
            items = [
                f"- **{name}** [{passage.source.number}]{shown.get(passage.section, '')}"
                for name, passage in closest.items()
            ]
            yield TextDelta("\n".join([canned_messages(context.language).closest_sections, "", *items]))
        yield ChatEnd(Finish.COMPLETE, TokenUsage())

    async def _closest(self, context: AnswerContext) -> dict[str, Passage]:
        """The best passage of each section, by the section's name."""
        found = [passage for source in context.sources if not source.is_unasked for passage in passages(source)]
        named: dict[str, Passage] = {}
        for judged in await self._judge.judged(context, found):
            if name := _name(judged.passage):
                named.setdefault(name, judged.passage)
        return dict(list(named.items())[:_SECTIONS])

    async def _lines(self, context: AnswerContext, closest: Sequence[Passage]) -> dict[tuple[int, str], str]:
        lines = [line for passage in closest for line in single_lines(passage)]
        best: dict[tuple[int, str], str] = {}
        for judged in await self._judge.judged(context, lines):
            best.setdefault(judged.passage.section, f": {word_for_word(judged.passage.text)}")
        return best


def _name(passage: Passage) -> str:
    """The page and its section, each said once."""
    parts = dict.fromkeys(markdown_name(part) for part in (passage.source.title, passage.heading))
    return ": ".join(part for part in parts if part)
