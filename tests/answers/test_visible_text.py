"""How much of what a browser shows we have read ourselves."""

from app.answers.page_context import compared

PAGE = [
    "## Returns\n\nYou may return a lamp within 30 days of delivery. We pay the postage.",
    "The warranty is 3 years.",
]


def test_what_was_read_is_known_whatever_its_markup_and_case() -> None:
    said = "RETURNS\nYou may return a lamp within 30 days of delivery.\nThe warranty is 3 years."
    assert compared(said, PAGE) == (found := compared(said, PAGE))
    assert (found.known_share, found.new_text) == (1.0, "")


def test_only_what_differs_is_new() -> None:
    said = "You may return a lamp within 30 days of delivery. We pay the postage.\nHello Ada, your cart holds 2 lamps."
    found = compared(said, PAGE)
    assert found.new_text == "Hello Ada, your cart holds 2 lamps."
    assert 0.5 < found.known_share < 1


def test_a_changed_number_makes_a_line_new() -> None:
    page = " ".join(f"The lamp of room {word} is green and hangs there." for word in "abcdefgh")
    said = f"{page} You may return a lamp within 900 days of delivery. {page}"
    assert compared(said, [said.replace("900", "30")]).new_text == said


def test_a_short_line_is_known_only_where_it_stands_so() -> None:
    assert compared("3 years", PAGE).new_text == ""
    assert compared("5 years", PAGE).new_text == "5 years"


def test_words_from_everywhere_on_the_page_make_no_known_line() -> None:
    assert compared("lamp postage years return warranty we", PAGE).known_share == 0


def test_nothing_said_is_nothing_known() -> None:
    assert compared("", PAGE).known_share == 0
    assert compared("One line", []).new_text == "One line"
