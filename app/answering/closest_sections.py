"""Where no answer is sure enough: the sections that come closest, by name and link."""

from collections.abc import AsyncGenerator

from app.answering.brief import AnswerBrief
from app.domain.own_words import own_words
from app.domain.section_text import section_name
from app.domain.turn import AnsweredBy, Finish, TokenUsage
from app.ports.chat_model import ChatEnd, TextDelta

_SECTIONS = 3


class ClosestSectionsWriter:
    """An AnswerWriter that claims nothing: it says that it has no exact answer and names up to three sections of what
    search found. Without any it says nothing."""

    answered_by = AnsweredBy.FALLBACK

    async def write(self, brief: AnswerBrief) -> AsyncGenerator[TextDelta | ChatEnd, None]:
        names: dict[str, int] = {}
        for source in brief.sources:
            if not source.is_unasked and (name := _name(source.title, source.heading)):
                names.setdefault(name, source.number)
        if names:
            lines = [f"- {name} [{number}]" for name, number in list(names.items())[:_SECTIONS]]
            yield TextDelta("\n".join([own_words(brief.language).closest_sections, "", *lines]))
        yield ChatEnd(Finish.COMPLETE, TokenUsage())


def _name(title: str, heading: str) -> str:
    """The page and its section, each said once."""
    parts = dict.fromkeys(section_name(part) for part in (title, heading))
    return ": ".join(part for part in parts if part)
