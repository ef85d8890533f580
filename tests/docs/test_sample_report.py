"""The sample of a report has today's form, and shows what a report is for."""

import re

from selectolax.lexbor import LexborHTMLParser

from app.site_report.site_reports import report_page
from tests.docs.sample_report import FILE
from tests.site_report.test_report_page import report


def test_it_has_the_form_of_today() -> None:
    sample, made = FILE.read_text("utf-8"), report_page(report())
    for part in (r"<style>.*?</style>", r'<section class="plain">\s*<h2 id="limits">.*?</section>'):
        ours, today = (re.search(part, text, re.DOTALL) for text in (sample, made))
        assert ours
        assert today
        assert ours[0] == today[0], "make sample-report writes it anew"


def test_it_shows_faults_of_every_kind() -> None:
    tree = LexborHTMLParser(FILE.read_text("utf-8"))
    for name in ("questions", "contradictions", "ageing", "weak", "unread"):
        [count] = tree.css(f"h2#{name} .count")
        assert int(count.text()) > 0
    assert "127.0.0.1" not in FILE.read_text("utf-8")
