from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from app.answers.curated.curated_answer import CuratedAnswer, CuratedFilter, Trigger, applicable, matching_answer
from tests.every_row import every_row

NOW = datetime(2026, 1, 1, tzinfo=UTC)
AGENT = uuid4()


def answer(trigger: Trigger, pattern: str, **more: object) -> CuratedAnswer:
    return CuratedAnswer(id=uuid4(), agent_id=AGENT, trigger=trigger, pattern=pattern, answer="!", **more)  # type: ignore[arg-type]


def hit(
    answers: list[CuratedAnswer],
    question: str,
    page: str = "https://x.example/",
    language: str | None = None,
    regexes: tuple[str, ...] = (),
) -> UUID | None:
    here = applicable(answers, page_url=page, language=language, now=NOW)
    found = matching_answer(here, question, regexes)
    return found.id if found else None


@every_row(
    ("trigger", "pattern", "question", "matches"),
    [
        pytest.param(Trigger.EXACT, "Opening hours?", "opening  HOURS", True, id="case and punctuation do not count"),
        pytest.param(Trigger.EXACT, "opening hours", "what are the opening hours", False, id="exact means all of it"),
        pytest.param(Trigger.PHRASE, "opening hours", "What are your opening hours, please?", True, id="phrase inside"),
        pytest.param(Trigger.PHRASE, "art", "where do I start", False, id="a phrase stops at word borders"),
        pytest.param(Trigger.PHRASE, "???", "anything", False, id="a pattern without words matches nothing"),
        pytest.param(Trigger.EXACT, "hi", "   ", False, id="a blank question matches nothing"),
        pytest.param(Trigger.PHRASE, "退货", "请问怎么退货？", True, id="no borders in scripts without spaces"),
        pytest.param(Trigger.PHRASE, "กน", "กนี้", False, id="a letter is not cut from its marks"),
        pytest.param(Trigger.PHRASE, "art", "start the art class", True, id="a later place with borders counts"),
        pytest.param(Trigger.ANY_OF, "refund\nmoney back", "I want my MONEY back!", True, id="any of: one is enough"),
        pytest.param(Trigger.ANY_OF, "refund\nmoney back", "my back hurts", False, id="any of: phrases stay whole"),
        pytest.param(Trigger.ANY_OF, "fun\n\n ?? ", "refund", False, id="any of: on word borders; blanks count not"),
        pytest.param(Trigger.REGEX, "refund", "refund", False, id="regular expressions are found elsewhere"),
        pytest.param(Trigger.SEMANTIC, "refund", "refund", False, id="wording does not find by meaning"),
    ],
)
def test_triggers(trigger: Trigger, pattern: str, question: str, matches: bool) -> None:
    assert (hit([answer(trigger, pattern)], question) is not None) is matches


def test_one_that_is_off_is_not_given() -> None:
    off, on = answer(Trigger.EXACT, "refund", is_on=False), answer(Trigger.PHRASE, "refund")
    assert hit([off], "refund") is None
    assert hit([off, on], "refund") == on.id


@every_row(
    ("only", "fits"),
    [
        pytest.param(CuratedFilter(), True, id="every answer"),
        pytest.param(CuratedFilter("days REFUND"), True, id="words of the pattern and of the answer"),
        pytest.param(CuratedFilter("refund lamp"), False, id="one word is nowhere"),
        pytest.param(CuratedFilter(is_on=True), False, id="only those that are on"),
        pytest.param(CuratedFilter(is_on=False), True, id="only those that are off"),
    ],
)
def test_answers_are_looked_for(only: CuratedFilter, fits: bool) -> None:
    off = CuratedAnswer(uuid4(), AGENT, Trigger.EXACT, "Refund?", "Within 30 days.", is_on=False)
    assert only.fits(off) is fits


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


def test_among_equals_the_plainer_trigger_wins() -> None:
    triggers = (Trigger.REGEX, Trigger.ANY_OF, Trigger.PHRASE, Trigger.EXACT)
    answers = [answer(trigger, "refund") for trigger in triggers]
    while answers:
        assert hit(answers, "refund", regexes=("refund",)) == answers.pop().id


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
