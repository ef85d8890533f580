"""Which curated answer a question gets, and that meaning is asked last."""

import json
from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import pytest

from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_matcher import SHIPPED_THRESHOLD, CuratedMatcher
from app.kit.pattern_matcher import PatternMatcher
from app.providers.embedding.embedder import Embedder
from app.providers.embedding.onnx_embedder import OnnxEmbedder
from app.providers.onnx_threads import EMBEDDER_FOLDER, OnnxThreads
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.temporary_record import temporary_record

AGENT = uuid4()
DATA = Path(__file__).resolve().parents[1] / "data"


def answer(trigger: Trigger, pattern: str, says: str = "!", priority: int = 0) -> CuratedAnswer:
    return CuratedAnswer(uuid4(), AGENT, trigger, pattern, says, priority)


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[SystemOfRecord]:
    async with temporary_record(tmp_path, FixedClock()) as record:
        yield record


async def found(record: SystemOfRecord, embedder: Embedder, answers: list[CuratedAnswer], question: str) -> str | None:
    matcher = CuratedMatcher(record, PatternMatcher(), embedder)
    hit = await matcher.find(
        answers, question, page_url="https://x.example/", language=None, now=datetime(2026, 1, 1, tzinfo=UTC)
    )
    return hit.answer if hit else None


ANSWERS = [
    answer(Trigger.SEMANTIC, "how do I get my money back\nmay I return a lamp", "by meaning", priority=9),
    answer(Trigger.REGEX, r"re(turn|fund)s?\b", "by expression"),
    answer(Trigger.ANY_OF, "postage\nrefund", "by any of"),
    answer(Trigger.PHRASE, "refund a lamp", "by phrase"),
    answer(Trigger.EXACT, "refund a lamp", "exactly"),
]


@pytest.mark.parametrize(
    ("question", "says", "embedded"),
    [
        pytest.param("Refund a lamp!", "exactly", 0, id="exact"),
        pytest.param("please refund a lamp", "by phrase", 0, id="phrase"),
        pytest.param("who pays the postage", "by any of", 0, id="any of"),
        pytest.param("your returns?", "by expression", 0, id="regular expression"),
        pytest.param("my money back: how do I get", "by meaning", 3, id="meaning, though its priority is higher"),
        pytest.param("what is the weather", None, 3, id="none"),
        pytest.param("   ", None, 0, id="a blank question"),
    ],
)
async def test_wording_comes_before_meaning(
    record: SystemOfRecord, question: str, says: str | None, embedded: int
) -> None:
    embedder = HashingEmbedder()
    assert await found(record, embedder, ANSWERS, question) == says
    assert len(embedder.embedded) == embedded


async def test_patterns_are_embedded_once(record: SystemOfRecord) -> None:
    embedder = HashingEmbedder()
    for _ in range(2):
        await found(record, embedder, ANSWERS, "anything else")
    assert embedder.embedded.count("anything else") == 2
    assert len(embedder.embedded) == 4


async def test_without_the_embedder_nothing_is_found_by_meaning(record: SystemOfRecord) -> None:
    embedder = HashingEmbedder()
    embedder.is_down = True
    assert await found(record, embedder, ANSWERS, "how do I get my money back") is None
    assert await found(record, embedder, ANSWERS, "refund a lamp") == "exactly"


async def test_by_meaning_priority_wins_then_nearness_then_age(record: SystemOfRecord) -> None:
    old, new = answer(Trigger.SEMANTIC, "a b c d", "old"), answer(Trigger.SEMANTIC, "a b c d", "new")
    near = answer(Trigger.SEMANTIC, "a b c d e f g h i k", "less near")
    urgent = answer(Trigger.SEMANTIC, "a b c d e f g h i", "urgent", priority=1)
    embedder = HashingEmbedder()
    assert await found(record, embedder, [near, old, new], "a b c d") == "old"
    assert await found(record, embedder, [near, urgent], "a b c d e f g h i k") == "urgent"


async def test_the_threshold_keeps_strangers_out_and_lets_half_of_the_paraphrases_in() -> None:
    """The figures beside SHIPPED_THRESHOLD, with some room for other processors."""
    golden = _lines("demo_golden_questions.jsonl")
    paraphrases = _lines("demo_paraphrases.jsonl")
    threads = OnnxThreads()
    try:
        embedder = OnnxEmbedder(EMBEDDER_FOLDER, threads)
        vectors = await embedder.embed([row["question"] for row in golden + paraphrases])
    finally:
        await threads.close()
    patterns = {row["id"]: vector for row, vector in zip(golden, vectors, strict=False)}
    names = [row["id"] for row in golden] + [row["of"] for row in paraphrases]
    asked = list(zip(names, vectors, strict=True))
    nearest_stranger = max(
        _cosine(vector, pattern) for own, vector in asked for name, pattern in patterns.items() if name != own
    )
    hits = sum(_cosine(vector, patterns[own]) >= SHIPPED_THRESHOLD for own, vector in asked[len(golden) :])
    assert nearest_stranger < SHIPPED_THRESHOLD - 0.03
    assert hits >= 24


def _lines(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (DATA / name).read_text().splitlines()]


def _cosine(left: list[float], right: list[float]) -> float:
    return sum(a * b for a, b in zip(left, right, strict=True))
