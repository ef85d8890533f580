"""A page that a parser would not come to an end with is refused; all others are parsed."""

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from crawler.errors import ExtractionFailed
from crawler.extract.extraction_pool import ExtractionPool
from crawler.extract.html_tree import MAX_ATTRIBUTES, parse_html
from tests.every_row import every_row
from tests.linear_time import takes_linear_time

PAGE = "<title>Start</title><main><h1>Start</h1>{}<p>Press the green button and wait for the light.</p></main>"


def attributes(count: int, value: str = "") -> str:
    return " ".join(f"a{n}{value}" for n in range(count))


@every_row("tag", ["p", "script", "style", "x-own"])
@every_row("value", ["", "=1", "='>'", '="a b>"', " = 1"])
def test_a_tag_with_more_attributes_than_any_page_has_is_refused(tag: str, value: str) -> None:
    with pytest.raises(ExtractionFailed, match="more than 1,000 attributes"):
        parse_html(PAGE.format(f"<{tag} {attributes(MAX_ATTRIBUTES + 1, value)}></{tag}>"))
    assert parse_html(PAGE.format(f"<{tag} {attributes(MAX_ATTRIBUTES, value)}></{tag}>")).css_first("[a1]")


@every_row(
    "around",
    [
        "<script>if (a<b) say('{}')</script>",
        "<!-- a<b {} -->",
        "<style>a<b {}</style>",
        "<p title='<b {}'>x</p>",
        "<p>{}</p>",
        "<i {0}></i>".replace("{0}", "a=1") * 2000 + "{}",
    ],
    ids=["script", "comment", "style", "value", "text", "many tags"],
)
def test_words_that_are_no_attributes_do_not_count(around: str) -> None:
    tree = parse_html(PAGE.format(around.format(attributes(5000))))
    assert tree.css_first("h1").text() == "Start"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "made", [lambda: f"<p {attributes(200_000)}>", lambda: f"<p {attributes(200_000, '=1')}>"], ids=["bare", "values"]
)
async def test_a_tag_of_200_000_attributes_fails_with_a_reason_within_the_time_of_a_page(
    made: Callable[[], str],
) -> None:
    async with ExtractionPool(timeout_seconds=20) as pool:
        with pytest.raises(ExtractionFailed, match="a tag of the page has more than 1,000 attributes"):
            await pool.extract(PAGE.format(made()).encode(), "https://docs.example.com/", "utf-8")
        page = await pool.extract(PAGE.format("").encode(), "https://docs.example.com/", "utf-8")
    assert "green button" in page.markdown


@pytest.mark.parametrize("tag", ["div", "x-own", "B", "table><tr><td"])
def test_elements_nested_without_end_fail_at_once(tag: str) -> None:
    """The parser took half a minute for 100,000 of them."""
    closed = "".join(f"</{name.strip('<')}>" for name in reversed(tag.split(">")))
    for nested in (f"<{tag}>" * 100_000, f"<{tag}>" * 100_000 + closed * 100_000):
        before = time.process_time()
        with pytest.raises(ExtractionFailed, match="more than 10,000 elements in each other"):
            parse_html(PAGE.format(nested))
        assert time.process_time() - before < 5


@every_row("many", ["<p>x", "<br>", "<i>x</i>", "<tr><td>x", "<img src=a>", "a < b <3 "])
def test_many_elements_beside_each_other_are_not_deep(many: str) -> None:
    assert parse_html(PAGE.format(many * 30_000)).css_first("main") is not None


@pytest.mark.parametrize("empty", ["<iframe src='a'/>", "<script src=a />", "<textarea name=x\n/>"])
def test_xhtml_may_close_an_element_without_content_in_its_tag(empty: str) -> None:
    page = PAGE.format(empty)
    xhtml = '<?xml version="1.0"?>\n<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x">'
    assert parse_html(xhtml + page).css_first("main p") is not None
    assert parse_html("<!doctype html>" + page).css_first("main p") is None, "as a browser reads HTML"


@pytest.mark.parametrize("unit", ["<iframe ", "<iframe a=1 ", "<iframe/>", "<iframe / ", "<iframe a='"])
def test_tags_of_xhtml_are_read_in_linear_time(unit: str) -> None:
    def read(text: str) -> None:
        with suppress(ExtractionFailed):
            parse_html('<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" "x">' + text)

    assert takes_linear_time(read, unit, 8_000)
