"""The documentation as a website, built by Sphinx as `make docs` builds it. Needs the extra `docs`."""

import re
from pathlib import Path

import pytest
from selectolax.lexbor import LexborHTMLParser, LexborNode

from tests.docs.built_site import build
from tests.docs.fenced_blocks import ROOT

WAYS = ("In the console", "On the command line", "With the API")
GUIDES = [*sorted((ROOT / "docs" / "how-to").glob("*.md")), ROOT / "docs" / "widget.md"]
_HEADING = re.compile(r"^(#+) (.+)$", re.MULTILINE)
_BOLD = re.compile(r"\*\*([^*]+)\*\*")
# A control's words stand in a template, as a label beside a setting, or as an entry of the menu.
_SHOWN_BY = [
    path
    for kind in ("html", "py")
    for path in sorted((ROOT / "app").rglob(f"*.{kind}"))
    if "demo_site" not in path.parts
]


def sections_in_the_console() -> list[tuple[str, str]]:
    found = []
    for page in GUIDES:
        text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        _, *parts = _HEADING.split(text)
        found += [(page.name, body) for name, body in zip(parts[1::3], parts[2::3], strict=True) if name == WAYS[0]]
    return found


def test_every_way_in_a_guide_stands_beside_another_way() -> None:
    alone = []
    for page in GUIDES:
        text = re.sub(r"^```.*?^```$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        headings = [("", ""), *_HEADING.findall(text), ("", "")]
        for before, (level, name), after in zip(headings, headings[1:], headings[2:], strict=False):
            if name in WAYS and not any(each in {(level, way) for way in WAYS} for each in (before, after)):
                alone.append(f"{page.name}: {name}")
    assert alone == []


def test_what_the_guides_name_in_the_console_is_there() -> None:
    sections = sections_in_the_console()
    assert len(sections) > 20
    shown = "\n".join(path.read_text("utf-8") for path in _SHOWN_BY)
    missing = [
        f"{page}: {words}"
        for page, section in sections
        for words in _BOLD.findall(re.sub(r"\s+", " ", section))
        if f'"{words}' not in shown and f">{words}" not in shown
    ]
    assert missing == []


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> LexborHTMLParser:
    return LexborHTMLParser(build(tmp_path_factory.mktemp("built")).read_text("utf-8"))


def the(built: LexborHTMLParser, selector: str) -> LexborNode:
    [node] = built.css(selector)
    return node


def test_neighbouring_ways_are_tabs_of_which_the_first_is_chosen(built: LexborHTMLParser) -> None:
    tabs = the(built, ".tabs")
    assert [label.text() for label in tabs.css("label")] == ["In the console", "With the API"]
    assert ["checked" in radio.attributes for radio in tabs.css("input")] == [True, False]
    assert [label.attributes["for"] for label in tabs.css("label")] == [
        radio.attributes["id"] for radio in tabs.css("input")
    ]
    assert [section.attributes["id"] for section in tabs.css("section")] == ["in-the-console", "with-the-api"]


def test_what_stands_before_and_after_is_no_tab_and_neither_is_a_way_alone(built: LexborHTMLParser) -> None:
    assert "After." not in the(built, ".tabs").text()
    assert the(built, "#on-the-command-line > h3").text().startswith("On the command line")


def test_tabs_are_not_in_the_pages_own_contents(built: LexborHTMLParser) -> None:
    contents = the(built, ".toc-tree").text()
    assert "Afterwards" in contents
    assert "With the API" not in contents


def test_a_link_to_such_a_heading_leads_to_its_tab(built: LexborHTMLParser) -> None:
    assert built.css_matches('a[href="#with-the-api"]')


def tags(built: LexborHTMLParser) -> list[dict[str, str | None]]:
    return [dict(script.attributes) for script in built.css("script[data-agent]")]


def test_without_an_agent_the_site_has_sphinxs_search_alone(built: LexborHTMLParser) -> None:
    assert tags(built) == []
    assert built.css("[data-docent-search]") == []
    the(built, "form[role=search] input[name=q]")


def test_with_an_agent_each_page_has_its_widget_and_search_and_no_other_script(
    built: LexborHTMLParser, tmp_path: Path
) -> None:
    page = build(tmp_path, docent_base="https://docent.example.com/", docent_agent="0199")
    found = LexborHTMLParser(page.read_text("utf-8"))
    assert tags(found) == [
        {"async": "async", "data-agent": "0199", "src": f"https://docent.example.com/widget/{name}.js"}
        for name in ("widget", "search")
    ]
    assert len(found.css("script")) == len(built.css("script")) + 2
    assert the(found, "[data-docent-search]").attributes["name"] == "q"
