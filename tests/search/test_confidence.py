"""The promises of the confidence scale: whatever says more for a chunk raises it, whatever parts are away."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.search.confidence import SURE, calibrated, plain_coverage, share_by_chance, why_unsure
from tests.every_row import every_row

cosines = st.none() | st.floats(-1, 1)
shares = st.floats(0, 1)
logits = st.none() | st.floats(-12, 12)
languages = st.sampled_from([None, "de", "hi", "ja", "ko", "th", "zh"])


@given(cosines, shares, logits, languages)
def test_it_is_a_probability_whatever_is_known(
    cosine: float | None, share: float, logit: float | None, language: str | None
) -> None:
    assert 0 < calibrated(cosine, share, logit, language=language) < 1


@given(cosines, shares, shares, logits, languages)
def test_more_of_the_words_never_lowers_it(
    cosine: float | None, share: float, other: float, logit: float | None, language: str | None
) -> None:
    low, high = sorted([share, other])
    assert calibrated(cosine, low, logit, language=language) <= calibrated(cosine, high, logit, language=language)


@pytest.mark.parametrize(("language", "enough"), [("hi", 0.4), ("de", 0.5)])
def test_words_alone_prove_as_much_as_they_do_in_their_language(language: str, enough: float) -> None:
    assert calibrated(None, enough, None, language) > SURE > calibrated(None, enough - 0.15, None, language)


@every_row("question", ["如何退款？", "返金はいつですか", "คืนเงินอย่างไร", "환불은 언제"])
def test_pairs_prove_what_they_have_above_what_others_have_by_chance(question: str) -> None:
    few = share_by_chance(question, [0.4, *[0.05] * 20])
    many = share_by_chance(question, [0.4, *[0.25] * 20])
    assert calibrated(None, 0.4, None, by_chance=few) > SURE > calibrated(None, 0.4, None, by_chance=many)
    # On a small site, and where every page is about what is asked, there is little to compare with.
    assert share_by_chance(question, [0.4, 0.4, 0.3]) == 0
    assert calibrated(None, 0.6, None, by_chance=share_by_chance(question, [0.6] * 50)) > SURE


def test_words_with_spaces_are_not_compared_with_chance() -> None:
    assert share_by_chance("How do I get a refund?", [0.4] * 50) is None
    assert share_by_chance("iPhone 15 Pro Max 退款", [0.4] * 50) is None


@given(shares, st.floats(-1, 1), st.floats(-1, 1))
def test_a_nearer_meaning_never_lowers_it(share: float, cosine: float, other: float) -> None:
    low, high = sorted([cosine, other])
    assert calibrated(low, share, None) <= calibrated(high, share, None)


def test_the_only_word_of_a_short_question_proves_less_than_all_of_a_long_one() -> None:
    [short] = plain_coverage("query?", ["query"])
    [long] = plain_coverage("rotate webhook signing secret", ["rotate the webhook signing secret"])
    assert short == 0.5
    assert long == 0.8
    assert plain_coverage("?", ["query"]) == [0.0]


@pytest.mark.parametrize(
    ("confidences", "words"),
    [
        pytest.param((), "Nothing was found.", id="nothing"),
        pytest.param(
            (0.05, 0.18), "The best passage has a confidence of 18%; the agent answers from 25%.", id="below it"
        ),
        pytest.param((0.25,), "", id="one passage that reaches the threshold is enough"),
    ],
)
def test_an_agent_is_unsure_below_its_one_threshold(confidences: tuple[float, ...], words: str) -> None:
    assert why_unsure(confidences, 0.25) == words
