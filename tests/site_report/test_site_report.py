"""What a report counts, and its verdicts on answers and pages."""

from dataclasses import replace
from uuid import UUID, uuid5

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.answers.playground import PlaygroundAnswer
from app.core.turn import AnsweredBy, Citation, Finish
from app.site_report.answer_verdict import (
    ANOTHER_PAGE,
    CALLS_A_PERSON,
    LINKS,
    LITTLE,
    NOT_QUOTED,
    NOTHING_FOUND,
    UNSURE,
    judged,
    weaknesses,
)
from app.site_report.site_report import Excerpt, JudgedAnswer, Origin, ReportQuestion, Share, Verdict, WeaknessKind
from app.sources.source import PageStatus
from tests.every_row import every_row
from tests.site_report.pages import HOST, page

URL = f"{HOST}/shipping"
TEXTS = {URL: "# Shipping\n\nWe ship to Malta within *5 days*.", f"{HOST}/other": "We ship to Malta as well."}
QUESTION = ReportQuestion("Do you ship to Malta?", Origin.QUESTION, (URL,), "en")
ANSWER = PlaygroundAnswer(
    "We ship to Malta within 5 days. [1]",
    AnsweredBy.EXTRACTIVE,
    0.9,
    is_low_confidence=False,
    finish=Finish.COMPLETE,
    language="en",
    duration_ms=9,
    citations=(Citation(1, f"{URL}#malta", "Shipping", None, quote="We ship to Malta\twithin 5 days."),),
)


def test_a_sure_answer_with_words_of_the_page_that_has_the_question_is_proven() -> None:
    answer = judged(QUESTION, ANSWER, TEXTS)
    assert (answer.verdict, answer.reason) == (Verdict.ANSWERED, "")
    assert [quote.page for quote in answer.quotes] == [URL]


@every_row(
    ("answer", "verdict", "reason"),
    [
        (replace(ANSWER, is_low_confidence=True), Verdict.DOUBTFUL, UNSURE),
        (
            replace(ANSWER, citations=(replace(ANSWER.citations[0], url=f"{HOST}/other", quote="We ship to Malta"),)),
            Verdict.DOUBTFUL,
            ANOTHER_PAGE,
        ),
        (
            replace(ANSWER, citations=(replace(ANSWER.citations[0], quote="We ship to Malta within 6 days."),)),
            Verdict.DOUBTFUL,
            NOT_QUOTED,
        ),
        (
            replace(ANSWER, answer="- [We ship](https://x.example/a)\n- [to Malta](https://x.example/b)"),
            Verdict.DOUBTFUL,
            LINKS,
        ),
        (replace(ANSWER, citations=()), Verdict.WITHHELD, NOTHING_FOUND),
        (replace(ANSWER, answered_by=AnsweredBy.FALLBACK), Verdict.WITHHELD, NOTHING_FOUND),
        (replace(ANSWER, answered_by=AnsweredBy.HANDOFF), Verdict.WITHHELD, CALLS_A_PERSON),
    ],
    ids=[
        "unsure",
        "another page",
        "words that are not there",
        "links",
        "nothing cited",
        "fallback",
        "a person is called",
    ],
)
def test_any_other_answer_says_why_it_is_not(answer: PlaygroundAnswer, verdict: Verdict, reason: str) -> None:
    found = judged(QUESTION, answer, TEXTS)
    assert (found.verdict, found.reason) == (verdict, reason)


@pytest.mark.parametrize("origin", [Origin.TOPIC, Origin.INSTRUCTION])
def test_a_line_is_little_for_a_heading(origin: Origin) -> None:
    answer = judged(replace(QUESTION, origin=origin), ANSWER, TEXTS)
    assert (answer.verdict, answer.reason) == (Verdict.DOUBTFUL, LITTLE)


def test_a_question_that_was_given_may_be_answered_by_any_page() -> None:
    other = replace(ANSWER, citations=(replace(ANSWER.citations[0], url=f"{HOST}/other", quote="We ship to Malta"),))
    assert judged(ReportQuestion("malta?", Origin.GIVEN), other, TEXTS).verdict is Verdict.ANSWERED


@given(total=st.integers(0, 2_000), part=st.floats(0, 1))
def test_the_interval_of_a_share_holds_the_share_and_narrows_with_more_of_the_same(total: int, part: float) -> None:
    share = Share(round(part * total), total)
    low, high = share.interval
    assert 0 <= low <= high <= 1
    if total:
        assert low - 1e-9 <= share.count / total <= high + 1e-9
        wider = Share(share.count * 10, share.total * 10).interval
        assert wider[1] - wider[0] <= high - low


def test_the_interval_is_wilsons() -> None:
    assert Share(42, 45).interval == pytest.approx((0.821, 0.977), abs=0.001)


def asked(url: str, reason: str, quoted: str) -> JudgedAnswer:
    question = ReportQuestion(f"{reason or 'Sure'}?", Origin.QUESTION, (url,))
    verdict = Verdict.DOUBTFUL if reason else Verdict.ANSWERED
    return JudgedAnswer(question, verdict, reason, "", 0.5, (Excerpt("We ship.", f"{quoted}#part", "", "en"),))


@every_row(
    ("reasons", "quoted", "is_weak"),
    [
        (("", UNSURE), "/own", False),
        ((LITTLE,), "/own", False),
        ((UNSURE, NOTHING_FOUND), "/own", True),
        ((ANOTHER_PAGE,), "/other", True),
        ((), "/own", False),
    ],
    ids=["one is answered", "by a line", "surely by none", "from another page", "nothing was asked"],
)
def test_a_page_is_weak_if_none_of_its_questions_is_answered_from_it(
    reasons: tuple[str, ...], quoted: str, is_weak: bool
) -> None:
    answers = [asked(f"{HOST}/own", reason, f"{HOST}{quoted}") for reason in reasons]
    found = weaknesses([page("/own", "# Payment methods\n\nText.")], [], answers)
    assert [(weak.kind, weak.url) for weak in found] == [(WeaknessKind.UNANSWERED, f"{HOST}/own")] * is_weak
    assert [weak.detail for weak in found] == [" \u00b7 ".join(f"{reason}?" for reason in reasons)] * is_weak


def status(path: str, document: UUID | None) -> PageStatus:
    return PageStatus(f"{HOST}{path}", "Rates", "duplicate", "", document, 0, None)


def test_a_page_with_the_text_of_another_names_it_and_another_address_of_a_page_is_none() -> None:
    original = page("/rates", "# Rates\n\nText.")
    copy, redirect = status("/rates/print", original[0].document_id), status("/old", None)
    gone = status("/gone", uuid5(original[0].document_id, "gone"))
    [weak] = weaknesses([original], [copy, redirect, gone], [])
    assert (weak.kind, weak.url, weak.detail) == (WeaknessKind.DUPLICATE, f"{HOST}/rates/print", f"{HOST}/rates")


@every_row(
    ("body", "is_wall"),
    [
        ("one word after the other " * 90, True),
        ("one word after the other " * 40 + "\n\n## More\n\n" + "one word after the other " * 40, False),
        ("- " + "one word after the other " * 90, False),
        ("\u8a00\u8449\u304c\u7d9a\u304f" * 180, True),
    ],
    ids=["one long section", "two sections", "a list", "without spaces"],
)
def test_much_running_text_below_one_heading_is_a_wall(body: str, is_wall: bool) -> None:
    found = weaknesses([page("/a", f"# Rates\n\n{body}")], [], [])
    assert [weak.kind for weak in found] == [WeaknessKind.WALL_OF_TEXT] * is_wall
