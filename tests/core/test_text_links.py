"""Links leave the text that is searched, and find back to their words in any part of it."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.core.text.markdown.links import TextLink, linked, placed_links, split_links, without_targets
from tests.every_row import every_row

PAGE = """# Returns

Read [the guide](https://a.example/guide) or [write to us](mailto:help@a.example). Click [here](https://a.example/one).

1. [Learn more](https://a.example/fees) about fees
2. [Learn more](https://a.example/times) about times

| State | Form |
| --- | --- |
| Texas | [12-302](https://a.example/texas) |
| Ohio | [STEC B](https://a.example/ohio_(new)) |

See [https://gov.example/x/](https://gov.example/x/).

[Download form](https://a.example/form.pdf)"""


def test_the_text_keeps_the_labels_alone() -> None:
    text, links = split_links(PAGE)
    assert "Read the guide or write to us. Click here." in text
    assert "](" not in text
    assert [link.target.rpartition("/")[2] for link in links][:3] == ["guide", "mailto:help@a.example", "one"]


def test_the_whole_text_gets_all_of_them_back() -> None:
    assert linked(*split_links(PAGE)) == PAGE


@every_row(
    ("part", "shown"),
    [
        ("Click here.", "Click [here](https://a.example/one)."),
        ("- Learn more about times", "- [Learn more](https://a.example/times) about times"),
        ("| Ohio | STEC B |", "| Ohio | [STEC B](https://a.example/ohio_(new)) |"),
        ("See `https://gov.example/x/`.", "See [https://gov.example/x/](https://gov.example/x/)."),
        ("Download form", "[Download form](https://a.example/form.pdf)"),
    ],
)
def test_a_part_of_the_text_gets_its_own_back(part: str, shown: str) -> None:
    assert linked(part, split_links(PAGE)[1]) == shown


@every_row(
    "part",
    [
        "Come here and see.",
        "Learn more",
        "Download form B by Friday",
        "Use `Download form` in code.",
        "```\nDownload form\n```",
        "Read the\nguide",
    ],
    ids=["other words beside it", "which of two", "a longer name", "within code", "a line of code", "over two lines"],
)
def test_words_that_are_not_surely_the_label_stay_words(part: str) -> None:
    assert linked(part, split_links(PAGE)[1]) == part


def test_labels_in_scripts_without_blanks_are_found() -> None:
    text, links = split_links("请点击[这里](https://a.example/zh)查看价格。")
    assert text == "请点击这里查看价格。"
    assert linked("点击这里查看", links) == "点击[这里](https://a.example/zh)查看"


@every_row(
    "text",
    [
        "`[a](https://a.example)`",
        "```\n[ab](https://a.example)\n```",
        "[ab](guide.md)",
        "![ab](https://a.example/p.png)",
    ],
)
def test_code_pictures_and_relative_links_stay_as_they_are(text: str) -> None:
    assert split_links(text) == (text, [])


def test_a_label_that_reads_as_a_mark_of_a_source_is_no_link() -> None:
    assert split_links("See [12](https://a.example).") == ("See 12.", [])


WORDS = st.lists(st.sampled_from(["form", "here", "apply", "now", "the", "fee", "is", "due"]), min_size=1, max_size=4)


@given(st.lists(st.tuples(WORDS, st.none() | st.integers(0, 3)), max_size=8))
def test_links_come_back_where_they_were_or_not_at_all(parts: list[tuple[list[str], int | None]]) -> None:
    told = (" ".join(words) if at is None else f"[{' '.join(words)}](https://a.example/{at})" for words, at in parts)
    markdown = "\n\n".join(told)
    text, links = split_links(markdown)
    assert without_targets(linked(text, links)) == text
    places = [(placed.start, placed.end) for placed in placed_links(text, links)]
    assert all(before[1] <= after[0] for before, after in pairwise(places))
    assert linked(text, [TextLink("absent", "https://a.example/9")]) == text
