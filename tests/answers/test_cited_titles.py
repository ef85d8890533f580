"""What citations of one answer are called."""

from collections.abc import AsyncGenerator, Sequence

import pytest

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source, WritingItem
from app.answers.writing.generation import Generation
from app.core.turn import AnsweredBy, Finish, TokenUsage
from app.providers.chat.chat_model import ChatEnd, TextDelta

TEXT = "The lamp weighs 2 kg."


class CitesAll:
    answered_by = AnsweredBy.MODEL

    async def write(self, context: AnswerContext) -> AsyncGenerator[WritingItem, None]:
        yield TextDelta(" ".join(f"{TEXT} [{source.number}]" for source in context.sources))
        yield ChatEnd(Finish.COMPLETE, TokenUsage())


@pytest.mark.parametrize(
    ("sources", "titles"),
    [
        pytest.param(
            [("/a", "Manual", "Weight"), ("/b", "Manual", "**Size** of the base"), ("/c", "Shop", "Prices")],
            ["Manual \u203a Weight", "Manual \u203a Size of the base", "Shop"],
            id="pages of one title",
        ),
        pytest.param(
            [("/a#weight", "Manual", "Weight"), ("/a#size", "Manual", "Size")], ["Manual", "Manual"], id="one page"
        ),
        pytest.param(
            [("/a", "Manual", ""), ("/b", "Manual", "Size")], ["Manual", "Manual \u203a Size"], id="no section"
        ),
    ],
)
async def test_pages_of_the_same_title_are_told_apart_by_their_sections(
    sources: Sequence[tuple[str, str, str]], titles: Sequence[str]
) -> None:
    found = tuple(
        Source(number, f"https://x.example{path}", title, TEXT, chunk_id=f"c{number}", heading=heading)
        for number, (path, title, heading) in enumerate(sources, start=1)
    )
    asked = "How heavy is the lamp?"
    generation = Generation(AnswerContext(AgentConfig(name="x"), asked, asked, found), lambda piece, whole: None)
    await generation.write((CitesAll(),))
    assert [citation.title for citation in generation.citations] == titles
