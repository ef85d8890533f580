"""Answers about the page that the visitor looks at, by the shipped models."""

from collections.abc import AsyncIterator

import pytest

from app.agents.agent import AgentConfig
from app.answers.page_context import about_page
from app.answers.writing.answer_context import AnswerContext, Source
from app.answers.writing.extractive_writer import ExtractiveWriter
from app.answers.writing.passage_readings import PassageReadings
from app.providers.chat.chat_model import TextDelta
from app.providers.embedding.onnx_embedder import OnnxEmbedder
from app.providers.onnx_threads import EMBEDDER_FOLDER, RERANKER_FOLDER, OnnxThreads
from app.providers.reranking.onnx_reranker import OnnxReranker
from tests.answers.extractive_answers import source
from tests.doubles.memory_keyword_index import MemoryKeywordIndex
from tests.every_row import every_row

PRODUCT = (
    "Red shoe - Shoe shop\nProduct: name: Red shoe, offers: price: 40 EUR, availability: InStock\n"
    "The red shoe costs 40 EUR, sizes 38 to 44.\nSole of rubber, upper of leather."
)
SILENT = "Red shoe - Shoe shop\nProduct: name: Red shoe, brand: name: Acme\nMade of leather."
FOUND = (
    source(2, "The blue boot costs 60 EUR, sizes 36 to 46.", title="Blue boot"),
    source(3, "Shipping a pair of shoes costs 5 EUR in Europe. It takes three days.", title="Shipping"),
    source(4, "You may return shoes within 30 days.", title="Returns"),
)


@pytest.fixture(scope="module")
async def writer() -> AsyncIterator[ExtractiveWriter]:
    threads = OnnxThreads()
    embedder = OnnxEmbedder(EMBEDDER_FOLDER, threads).for_questions()
    reranker = OnnxReranker(RERANKER_FOLDER, threads)
    yield ExtractiveWriter(PassageReadings(embedder, MemoryKeywordIndex(), embedder, reranker))
    await threads.close()


async def cited_first(writer: ExtractiveWriter, page: str, question: str) -> int | None:
    """The number of the first source quoted; that of the visitor's page is 1."""
    own = Source(1, "https://x.example/1", "Your page", page, is_unasked=True)
    context = AnswerContext(AgentConfig(name="x"), question, question, (own, *FOUND), language="en")
    text = "".join([item.text async for item in writer.write(context) if isinstance(item, TextDelta)])
    marks = [int(part.partition("]")[0]) for part in text.split("[")[1:]]
    return marks[0] if marks else None


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("What does this cost?", 1),
        ("how much is it", 1),
        ("which sizes does it come in?", 1),
        ("is the red shoe available in 40?", 1),
        ("What does shipping cost?", 3),
        ("Can I return it?", 4),
        ("what does the blue boot cost?", 2),
        ("Who wrote Aida?", None),
    ],
)
async def test_the_page_answers_what_it_tells_and_the_site_the_rest(
    writer: ExtractiveWriter, question: str, number: int | None
) -> None:
    assert await cited_first(writer, PRODUCT, question) == number


@pytest.mark.parametrize("question", ["which sizes does it come in?", "Who wrote Aida?"])
async def test_what_neither_tells_of_the_product_is_not_answered_by_another(
    writer: ExtractiveWriter, question: str
) -> None:
    assert await cited_first(writer, SILENT, question) is None


@every_row(
    ("page", "asked"),
    [
        (PRODUCT, "Red shoe - Shoe shop: What does this cost?"),
        ("Open day\nEvent: name: Open day, startDate: 2027-03-01", "Open day: What does this cost?"),
        ("Red shoe\nproduct:price:amount: 40", "Red shoe: What does this cost?"),
        ("About us\nWe make shoes.", "What does this cost?"),
        ("", "What does this cost?"),
    ],
    ids=["a product", "an event", "a price in its data", "a page about no thing", "no page"],
)
def test_this_means_the_thing_that_the_page_s_data_names(page: str, asked: str) -> None:
    own = (Source(1, "https://x.example/1", "Your page", page, is_unasked=True),) if page else ()
    assert about_page((*own, *FOUND), "What does this cost?") == asked
