from app.answering.brief import AnswerBrief, Source
from app.answering.closest_sections import ClosestSectionsWriter
from app.domain.agent import AgentConfig
from app.ports.chat_model import TextDelta


async def written(*sources: Source, language: str = "en") -> str:
    brief = AnswerBrief(AgentConfig(name="x"), "Which?", "Which?", sources, language=language)
    return "".join([item.text async for item in ClosestSectionsWriter().write(brief) if isinstance(item, TextDelta)])


def source(number: int, title: str, heading: str = "") -> Source:
    return Source(number, f"https://x.example/{number}", title, "Text", chunk_id=f"c{number}", heading=heading)


async def test_up_to_three_sections_are_named_and_cited() -> None:
    found = await written(*(source(number, f"Page {number}", "Setup") for number in range(1, 6)))

    assert found == (
        "I found no exact answer. These sections come closest:\n\n"
        "- Page 1: Setup [1]\n- Page 2: Setup [2]\n- Page 3: Setup [3]"
    )


async def test_a_section_is_named_once_and_in_the_visitors_language() -> None:
    found = await written(source(1, "Hilfe", "Hilfe"), source(2, "Hilfe"), language="de")

    assert found.endswith("am nächsten:\n\n- Hilfe [1]")


async def test_a_name_is_no_markdown() -> None:
    assert (await written(source(1, "The [best](https://x) *lamp*"))).endswith("- The best(https://x) lamp [1]")


async def test_nothing_is_said_without_a_section() -> None:
    assert await written() == ""
    assert await written(Source(1, "https://x.example", "Your page", "Text", is_unasked=True)) == ""
