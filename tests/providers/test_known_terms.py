"""The terms of a text are the same the first time and ever after."""

from app.providers.indexes.keyword_analysis import KnownTerms, analysis_of

TEXTS = ["Refunds within 30 days.", "", "a \u2028 b\x1cc", "lone \ud800 surrogate", "日本語 DiffExecutor"]


def test_what_is_known_is_what_the_analysis_says() -> None:
    known = KnownTerms()
    for text in TEXTS * 2:
        assert known.of("en", text) == set(analysis_of("en").terms(text))
    assert len(known) == len(TEXTS)


def test_each_language_has_its_own() -> None:
    known = KnownTerms()
    assert known.of("en", "refunds") == {"refund"}
    assert known.of("und", "refunds") == {"refunds"}


def test_the_texts_that_were_asked_for_last_are_kept() -> None:
    known = KnownTerms(max_texts=2)
    for text in ("one", "two", "one", "three"):
        known.of("en", text)
    assert len(known) == 2
    assert [known.of("en", text) for text in ("three", "one")] == [{"three"}, {"one"}]
    assert len(known) == 2
