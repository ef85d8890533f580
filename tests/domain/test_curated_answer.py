from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from app.domain.curated_answer import CuratedAnswer, Trigger, matching_answer

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AGENT = uuid4()


def answer(trigger: Trigger, pattern: str, **more: object) -> CuratedAnswer:
    return CuratedAnswer(id=uuid4(), agent_id=AGENT, trigger=trigger, pattern=pattern, answer="!", **more)  # type: ignore[arg-type]


def hit(
    answers: list[CuratedAnswer], question: str, page: str = "https://x.example/", language: str | None = None
) -> UUID | None:
    found = matching_answer(answers, question, page_url=page, language=language, now=NOW)
    return found.id if found else None


@pytest.mark.parametrize(
    ("trigger", "pattern", "question", "matches"),
    [
        pytest.param(Trigger.EXACT, "Opening hours?", "opening  HOURS", True, id="case and punctuation do not count"),
        pytest.param(Trigger.EXACT, "opening hours", "what are the opening hours", False, id="exact means all of it"),
        pytest.param(Trigger.PHRASE, "opening hours", "What are your opening hours, please?", True, id="phrase inside"),
        pytest.param(Trigger.PHRASE, "art", "where do I start", False, id="a phrase stops at word borders"),
        pytest.param(Trigger.PHRASE, "???", "anything", False, id="a pattern without words matches nothing"),
        pytest.param(Trigger.EXACT, "hi", "   ", False, id="a blank question matches nothing"),
    ],
)
def test_triggers(trigger: Trigger, pattern: str, question: str, matches: bool) -> None:
    assert (hit([answer(trigger, pattern)], question) is not None) is matches


def test_higher_priority_wins_over_an_exact_trigger() -> None:
    exact, urgent = answer(Trigger.EXACT, "refund"), answer(Trigger.PHRASE, "refund", priority=5)
    assert hit([exact, urgent], "refund") == urgent.id


def test_exact_wins_over_phrase_and_the_older_over_the_newer() -> None:
    phrase, old, new = (
        answer(Trigger.PHRASE, "refund"),
        answer(Trigger.EXACT, "refund"),
        answer(Trigger.EXACT, "refund"),
    )
    assert hit([phrase, old, new], "refund") == old.id


def test_an_expired_answer_is_silent() -> None:
    gone = answer(Trigger.EXACT, "sale", expires_at=NOW)
    assert hit([gone], "sale") is None
    assert hit([answer(Trigger.EXACT, "sale", expires_at=NOW + timedelta(seconds=1))], "sale") is not None


def test_language_and_page_narrow_where_an_answer_applies() -> None:
    german = answer(Trigger.EXACT, "hallo", language="de")
    assert hit([german], "hallo", language="en") is None
    assert hit([german], "hallo", language=None) is not None
    pricing = answer(Trigger.EXACT, "price", page_prefix="/pricing")
    assert hit([pricing], "price", page="https://x.example/pricing/teams") is not None
    assert hit([pricing], "price", page="https://x.example/help") is None
