"""The terms of a text are the same the first time and ever after."""

from app.providers.indexes.keyword_analysis import KnownTerms, analysis_of

TEXTS = ["Refunds within 30 days.", "", "a \u2028 b\x1cc", "lone \ud800 surrogate", "日本語 DiffExecutor"]


def test_what_is_known_is_what_the_analysis_says() -> None:
    known = KnownTerms()
    terms = {text: set(analysis_of("en").terms(text)) for text in TEXTS}
    asked = sorted(set().union(*terms.values(), {"refun", "day refund"}))
    for texts in (TEXTS[:3], TEXTS):
        assert known.held("en", asked, texts) == [[term for term in asked if term in terms[text]] for text in texts]
    assert len(known) == len(TEXTS)


def test_each_language_has_its_own() -> None:
    known = KnownTerms()
    asked = ["refund", "refunds"]
    assert known.held("en", asked, ["refunds"]) == [["refund"]]
    assert known.held("und", asked, ["refunds"]) == [["refunds"]]


def test_the_texts_that_were_asked_for_last_are_kept() -> None:
    known = KnownTerms(max_texts=2)
    for text in ("one", "two", "one", "three"):
        known.held("en", ["one"], [text])
    assert len(known) == 2
    assert known.held("en", ["one", "three"], ["three", "one", "three"]) == [["three"], ["one"], ["three"]]
    assert len(known) == 2
