"""Whether two pages say the same."""

from crawler.crawl.page_visit import are_alike, text_sketch
from tests.every_row import every_row

TEXT = " ".join(f"word{number}" for number in range(300))


@every_row(
    ("other", "expected"),
    [
        (TEXT, True),
        (TEXT.upper(), True),
        (f"Sort by price. {TEXT} Print this page.", True),
        (" ".join(f"other{number}" for number in range(300)), False),
        (TEXT.replace("word2", "word 2 of"), False),
        ("too short", True),
        ("", True),
    ],
)
def test_texts_are_alike_that_share_most_of_their_words_in_a_row(other: str, expected: bool) -> None:
    assert are_alike(text_sketch(TEXT), text_sketch(other)) is expected
    assert are_alike(text_sketch(other), text_sketch(TEXT)) is expected
