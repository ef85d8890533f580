from dataclasses import replace

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.extractive_writer import ClosestSectionsWriter
from app.answers.writing.passage_readings import PassageReadings
from app.providers.chat.chat_model import TextDelta
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex

TABLE = "| Port | Use |\n|---|---|\n| 1883 | plain text messages |"


async def written(question: str, *sources: Source, language: str = "en") -> str:
    context = AnswerContext(AgentConfig(name="x"), question, question, sources, language=language)
    writer = ClosestSectionsWriter(PassageReadings(HashingEmbedder(), MemoryKeywordIndex()))
    return "".join([item.text async for item in writer.write(context) if isinstance(item, TextDelta)])


def source(number: int, title: str, text: str = TABLE, heading: str = "", calibrated: float = 0.2) -> Source:
    url = f"https://x.example/{number}"
    return Source(number, url, title, text, chunk_id=f"c{number}", heading=heading, calibrated=calibrated)


async def test_up_to_three_sections_are_named_and_cited_those_that_come_closest_first() -> None:
    found = await written(
        "Where is the reset wheel of the hub?",
        source(1, "Lamps", "The lamps come in three colours."),
        source(2, "Delivery", "Orders leave the house on weekdays.", "Times"),
        source(3, "Hub", "The wheel for a reset of the hub is under the lid.", "Parts"),
        source(4, "Returns", "Send back what you do not like."),
    )

    lines = found.splitlines()
    assert lines[:2] == ["I found no exact answer. These sections come closest:", ""]
    assert lines[2] == "- **Hub: Parts**: The wheel for a reset of the hub is under the lid. [3]"
    assert len(lines) == 5


async def test_of_each_section_the_sentence_or_item_that_comes_closest_is_shown() -> None:
    text = "Accounts are free.\n\n- Your name is shown to friends only.\n- Your address is blurred - to 500 m."
    found = await written("Do strangers see my address?", source(1, "Privacy", text))

    assert found.endswith("- **Privacy**: Your address is blurred - to 500 m. [1]")


async def test_a_section_that_has_no_line_of_its_own_is_named_alone() -> None:
    assert (await written("Which port?", source(1, "Ports"))).endswith("\n- **Ports** [1]")
    long = f"The port {'and the other one ' * 20}is 1883."
    assert (await written("Which port?", source(1, "Ports", long))).endswith("\n- **Ports** [1]")


async def test_a_sentence_that_leans_on_another_one_is_not_shown() -> None:
    found = await written("Is the port open?", source(1, "Ports", "Port 1883 is for messages. It is open at home."))

    assert found.endswith(": Port 1883 is for messages. [1]")


async def test_a_section_is_named_once_and_in_the_visitors_language() -> None:
    found = await written("Welcher Port?", source(1, "Hilfe", heading="Hilfe"), source(2, "Hilfe"), language="de")

    assert "am nächsten:\n\n- **Hilfe** [" in found
    assert found.count("Hilfe") == 1


async def test_the_language_of_the_sections_is_named_below_them_if_it_is_another_one() -> None:
    hub = replace(source(1, "Hub", "The wheel for a reset of the hub is under the lid."), language="en")

    assert (await written("Wo ist das Rad?", hub, language="de")).endswith("\n\nDiese Abschnitte sind auf Englisch.")
    assert (await written("Where is the wheel?", hub)).endswith("under the lid. [1]")


async def test_names_and_lines_hold_no_link() -> None:
    text = "The port is in [the list](https://evil.example) of ports [7]."
    found = await written("Which port?", source(1, "The [best](https://x) *port*", text))

    assert found.endswith("- **The best(`https://x`) port**: The port is in the list of ports (7). [1]")


async def test_nothing_is_said_without_a_section() -> None:
    assert await written("Which?") == ""
    assert await written("Which?", Source(1, "https://x.example", "Your page", TABLE, is_unasked=True)) == ""


async def test_what_search_found_far_from_the_question_is_not_named() -> None:
    assert not await written("Welcher Port?", source(1, "Ports", calibrated=0.1))
