"""What of its sources an answer leaves out, and offers to whoever looks."""

from collections.abc import Sequence
from dataclasses import replace

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, AnswerWriter, Source
from app.answers.writing.extractive_writer import ClosestSectionsWriter, ExtractiveWriter
from app.answers.writing.generation import Generation
from app.answers.writing.passage_readings import PassageReadings
from app.core.turn import Citation
from tests.answers.extractive_answers import source
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex

READINGS = PassageReadings(HashingEmbedder(), MemoryKeywordIndex())
ASKED = "How long is the warranty of a lamp?"


async def written(
    writer: AnswerWriter, sources: Sequence[Source], asked: str = ASKED
) -> tuple[str, tuple[Citation, ...]]:
    agent = AgentConfig(name="x", confidence_threshold=0)
    context = AnswerContext(agent, asked, asked, tuple(sources), language="en")
    generation = Generation(context, lambda piece, whole: None)
    await generation.write((writer,))
    return generation.text.strip(), generation.citations


async def cited(writer: AnswerWriter, sources: Sequence[Source], asked: str = ASKED) -> tuple[Citation, ...]:
    return (await written(writer, sources, asked))[1]


async def test_a_section_that_is_named_comes_with_its_passage() -> None:
    boxes = "Boxes are made of **paper**:\n\n- in Galway\n- in [Cork](/cork)"
    quoted, named = await cited(
        ExtractiveWriter(READINGS),
        [source(1, "The warranty of a lamp is 3 years.", "Lamps"), source(2, boxes, "Boxes", order=0.1)],
    )
    assert (quoted.quote, quoted.passage) == ("The warranty of a lamp is 3 years.", None)
    assert (named.quote, named.passage) == (None, "Boxes are made of paper:\nin Galway\nin Cork")


async def test_further_sections_are_listed_behind_the_cited_ones_and_not_told_in_the_answer() -> None:
    lamps = source(1, "The warranty of a lamp is 3 years.", "Lamps", title="Lamps")
    boxes = source(2, "Boxes are made of paper in Galway.", "Paper", title="Boxes", order=0.1)
    ways = source(3, "Rain falls in Galway.", "Ways", title="Ways", order=0.1)
    text, listed = await written(ExtractiveWriter(READINGS), [ways, boxes, lamps])
    assert text == "**Lamps**\n\nThe warranty of a lamp is 3 years. [1]"
    assert [(each.id, each.title) for each in listed] == [(1, "Lamps"), (2, "Boxes \u203a Paper"), (3, "Ways")]


async def test_a_section_that_is_several_sources_is_listed_once() -> None:
    boxes = source(2, "Boxes are made of paper in Galway.", "Boxes", order=0.1)
    rest = replace(source(3, "Boxes are collected on Monday mornings.", "Boxes", order=0.1), url=boxes.url)
    sources = [source(1, "The warranty of a lamp is 3 years.", "Lamps"), boxes, rest]
    assert [each.title for each in await cited(ExtractiveWriter(READINGS), sources)] == [
        "Page \u203a Lamps",
        "Page \u203a Boxes",
    ]


async def test_what_else_a_quoted_source_says_comes_with_it() -> None:
    text = "The warranty of a lamp is 3 years.\n\n## Batteries\n\nThe warranty of batteries is 1 year."
    (cite,) = await cited(ExtractiveWriter(READINGS), [source(1, text, "Lamps")])
    assert (cite.quote, cite.passage) == ("The warranty of a lamp is 3 years.", "The warranty of batteries is 1 year.")


async def test_its_link_opens_the_page_there() -> None:
    _, named = await cited(
        ExtractiveWriter(READINGS),
        [
            source(1, "The warranty of a lamp is 3 years.", "Lamps"),
            source(2, "Boxes are made of paper.", "Boxes", order=0.1),
        ],
    )
    assert named.link == "https://x.example/2#:~:text=Boxes%20are%20made%20of%20paper."


async def test_so_do_the_closest_sections_where_there_is_no_answer() -> None:
    (named,) = await cited(
        ClosestSectionsWriter(READINGS),
        [source(1, "The lamp is blue.\n\nIt weighs 2 kg.", "Lamps")],
        "Is there a lamp?",
    )
    assert (named.quote, named.passage) == (None, "The lamp is blue.\nIt weighs 2 kg.")
