from app.core.text.content_words import content_words


def test_words_come_by_how_often_they_are_said() -> None:
    assert content_words("Rain gauge. The gauge measures rain; clean the gauge.", 2) == ["gauge", "rain"]


def test_words_of_every_text_and_numbers_tell_nothing() -> None:
    assert content_words("This is what you will have had, for 2026 of it", 5) == []


def test_identifiers_count_whole_and_in_parts() -> None:
    assert content_words("RainGauge", 5) == ["gauge", "rain", "raingauge"]
