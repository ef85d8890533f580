"""The report as a file: it holds everything, runs nothing, and a website's text stays text in it."""

import re
from datetime import date
from pathlib import Path

from selectolax.lexbor import LexborHTMLParser

from app.site_report.site_report import (
    AgeingFact,
    AgeingKind,
    Contradiction,
    Excerpt,
    JudgedAnswer,
    Origin,
    ReportQuestion,
    SiteReport,
    Verdict,
    Weakness,
    WeaknessKind,
)
from app.site_report.site_reports import report_page
from app.sources.source import PageStatus
from tests.every_row import every_row

URL = "https://x.example/shipping"
HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(1)> & \"quotes\" 'too'"
EXCERPT = Excerpt("We ship within 5 days.", f"{URL}#malta", "Shipping", "en", (15, 16))


def report(
    text: str = "Do you ship to Malta?", url: str = URL, language: str | None = "en", pages: int = 1
) -> SiteReport:
    excerpt = Excerpt(text, url, text, language, (0, 2))
    question = ReportQuestion(text, Origin.QUESTION, (url,), language)
    return SiteReport(
        site=url,
        name=text,
        made_on=date(2026, 11, 29),
        language=language,
        pages=(
            PageStatus(url, text, "indexed", "", None, 1, None),
            PageStatus(url, None, "not_found", text, None, 0, None),
        ),
        stop_reason="Every page was visited.",
        answers=(
            JudgedAnswer(question, Verdict.ANSWERED, "", text, 0.9, (excerpt,)),
            JudgedAnswer(question, Verdict.WITHHELD, text, text, 0.1),
            JudgedAnswer(ReportQuestion(text, Origin.GIVEN), Verdict.DOUBTFUL, text, text, 0.4, (excerpt,)),
        ),
        weaknesses=tuple(Weakness(kind, url, text, text) for kind in WeaknessKind),
        contradictions=(Contradiction(EXCERPT, excerpt),),
        ageing=tuple(AgeingFact(kind, text, excerpt) for kind in AgeingKind),
        undated=(url,),
        stated=7,
        most_pages=500,
    )


def test_it_is_one_file_that_runs_and_loads_nothing() -> None:
    text = report_page(report())
    tree = LexborHTMLParser(text)
    assert text.startswith("<!doctype html>")
    assert not tree.css("script, link, img, iframe, object, form, [onclick], [src]")
    assert "url(" not in text
    assert "@import" not in text
    [policy] = [each.attributes["content"] for each in tree.css("meta[http-equiv]")]
    assert policy == "default-src 'none'; style-src 'unsafe-inline'"


def test_what_a_website_says_stays_text() -> None:
    text = report_page(report(HOSTILE))
    tree = LexborHTMLParser(text)
    assert not tree.css("script, img")
    [heading] = tree.css("h1")
    assert HOSTILE in heading.text()


@every_row("url", ["javascript:alert(1)", "data:text/html,x", "urn:uuid:1", " https://x.example"])
def test_only_addresses_of_the_web_become_links(url: str) -> None:
    links = LexborHTMLParser(report_page(report(url=url))).css("a[href]")
    told = {link.attributes["href"] or "" for link in links}
    assert {each for each in told if not each.startswith("#")} == {EXCERPT.url}


def test_a_page_is_quoted_in_its_language_and_direction() -> None:
    tree = LexborHTMLParser(report_page(report("هل تشحنون إلى مالطا؟", language="ar")))
    assert [html.attributes["lang"] for html in tree.css("html")] == ["en"]
    quotes = tree.css("blockquote[lang=ar]")
    assert quotes
    assert all(quote.attributes["dir"] == "auto" for quote in quotes)


def test_the_values_that_contradict_each_other_are_marked() -> None:
    marks = [mark.text() for mark in LexborHTMLParser(report_page(report())).css("#contradictions ~ ol mark")]
    assert marks == ["5", "Do"]


def test_shares_stand_with_their_intervals_and_apart_for_real_questions() -> None:
    [main] = LexborHTMLParser(report_page(report())).css("main")
    text = " ".join(main.text().split())
    assert "answered and proven 1 of 2 (9–91 %)" in text.replace("proven1", "proven 1")
    assert "Of your own 1 questions:" in text


def test_every_link_within_the_report_leads_somewhere() -> None:
    tree = LexborHTMLParser(report_page(report()))
    inner = [str(link.attributes["href"])[1:] for link in tree.css("a[href^='#']")]
    assert inner
    assert all(tree.css_first(f"[id='{name}']") for name in inner)


def test_the_object_for_programs_has_the_same() -> None:
    told = report().as_json()
    assert told["shares"]["made"]["answered"] == {"count": 1, "of": 2, "interval": [0.095, 0.905]}
    assert told["shares"]["given"]["doubtful"]["count"] == 1
    assert told["pages"] == {"indexed": 1, "not_found": 1}
    assert [each["status"] for each in told["unread"]] == ["not_found"]
    assert told["contradictions"][0]["first"]["mark"] == (15, 16)


def test_its_style_reads_in_the_dark_and_in_print() -> None:
    style = Path("app/site_report/site_report.html").read_text("utf-8")
    names = [set(re.findall(r"--[a-z]+(?=:)", part)) for part in re.findall(r":root \{[^}]*\}", style)]
    light, dark, printed = names
    assert light == dark | set() == printed
