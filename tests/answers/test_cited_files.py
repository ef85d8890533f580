"""What a citation says of a file."""

from uuid import UUID

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.generation import Generation
from app.answers.writing.passage_readings import PassageReadings
from app.sources.source import UNLINKED
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.every_row import every_row

UNADDRESSED = f"{UNLINKED}{UUID(int=7)}"


@every_row(
    ("url", "language", "title"),
    [
        (f"{UNADDRESSED}#page=3", "en", "Lamps, page 3 (internal document)"),
        (f"{UNADDRESSED}#page=3", "de", "Lamps, Seite 3 (internes Dokument)"),
        (UNADDRESSED, "en", "Lamps (internal document)"),
        ("https://x.example/lamps.pdf#page=12", "en", "Lamps, page 12"),
        ("https://x.example/lamps#page-layout", "en", "Lamps"),
    ],
)
async def test_it_is_named_with_its_page_and_whether_it_can_be_opened(url: str, language: str, title: str) -> None:
    source = Source(1, url, "Lamps", "The lamp weighs 2 kg with its battery.", chunk_id="c1")
    asked = "How heavy is the lamp with its battery?"
    agent = AgentConfig(name="x", confidence_threshold=0)
    generation = Generation(AnswerContext(agent, asked, asked, (source,), language=language), lambda piece, whole: None)
    await generation.write((ExtractiveWriter(PassageReadings(HashingEmbedder(), MemoryKeywordIndex())),))
    assert [citation.title for citation in generation.citations] == [title]
