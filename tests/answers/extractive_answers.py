"""Sources, and the answers that the extractive writer makes of them."""

from app.agents.agent import AgentConfig
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.passage_readings import PassageReadings
from app.providers.chat.chat_model import ChatEnd, TextDelta
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.memory_keyword_index import MemoryKeywordIndex


def source(number: int, text: str, heading: str = "", title: str = "Page", order: float = 1.0) -> Source:
    return Source(
        number,
        f"https://x.example/{number}",
        title,
        text,
        chunk_id=f"c{number}",
        heading=heading,
        breadcrumb=(heading,) if heading else (),
        order=order,
    )


async def written(
    question: str,
    *texts: str | Source,
    embedder: HashingEmbedder | None = None,
    own_page: str = "",
    max_chars: int = 1500,
    threshold: float = 0.0,
) -> tuple[str, float | None]:
    """The answer, and what the writer thinks of it."""
    sources = tuple(
        text if isinstance(text, Source) else source(number, text)
        for number, text in enumerate(texts, 2 if own_page else 1)
    )
    if own_page:
        sources = (Source(1, "https://x.example/1", "Your page", own_page, is_unasked=True), *sources)
    config = AgentConfig(name="x", max_answer_chars=max_chars, confidence_threshold=threshold)
    writer = ExtractiveWriter(PassageReadings(embedder or HashingEmbedder(), MemoryKeywordIndex()))
    text, confidence = "", None
    async for item in writer.write(AnswerContext(config, question, question, sources, language="en")):
        if isinstance(item, TextDelta):
            text += item.text
        elif isinstance(item, ChatEnd):
            confidence = item.confidence
    return text.strip(), confidence


async def answer(question: str, *texts: str | Source, own_page: str = "", max_chars: int = 1500) -> str:
    return (await written(question, *texts, own_page=own_page, max_chars=max_chars))[0]
