"""The rules by which answers over documentation sites are marked, and the questions that the project has for them."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from bench.sites.marks import Answer, figures, mark, plain
from bench.sites.question_set import OWN_SET, Question, Site, read_questions, read_sites
from tests.every_row import every_row

ASKED = Question(
    "postfix", "howto", "How?", (("virtual_alias_domains",), (r"\bpostmap\b", "hash:/")), ("VIRTUAL.html",)
)
IN_VAIN = Question("postfix", "unanswerable", "Which colour?", (), ())
GIVEN = Answer("Set `virtual_alias_domains`, then run postmap.", "extractive", 0.7, False, ("http://a/VIRTUAL.html#x",))
UNKNOWN = Answer("I could not find that.", "fallback", 0.1, True, ())

SITES = read_sites(OWN_SET)


@every_row(
    ("written", "read"),
    [
        ("Open **Edit → Preferences…**", "Open Edit -> Preferences..."),
        ("don’t use “this” – or\u00a0that", 'don\'t use "this" - or that'),
        ("## Limits\n\n- one\n* two\n> three", "Limits one two three"),
        ("Use `set -x` [1][2], as [the page](https://a.example/b) says [3].", "Use set -x, as the page says."),
        ("an array[1]x and 2 * 3 * 4", "an array[1]x and 2 * 3 * 4"),
        ("it is *not* snake\\_case &lt;b&gt;", "it is not snake_case <b>"),
    ],
    ids=["menu", "typography", "blocks", "citations and links", "no Markdown", "emphasis and escapes"],
)
def test_a_text_is_read_without_its_marks(written: str, read: str) -> None:
    assert plain(written) == read


def test_an_answer_is_right_when_every_group_is_met() -> None:
    assert mark(ASKED, GIVEN).verdict == "right"
    assert mark(ASKED, replace(GIVEN, text="VIRTUAL_ALIAS_DOMAINS = hash:/etc/postfix/virtual")).verdict == "right"
    half = mark(ASKED, replace(GIVEN, text="Set virtual_alias_domains."))
    assert (half.verdict, half.missing) == ("wrong", ((r"\bpostmap\b", "hash:/"),))


def test_what_stands_late_in_an_answer_is_right_but_not_early() -> None:
    late = mark(ASKED, replace(GIVEN, text=f"{'word ' * 130}{GIVEN.text}"))
    assert (late.is_right, late.is_early) == (True, False)
    assert mark(ASKED, GIVEN).is_early


@every_row(
    ("answer", "is_refusal"),
    [
        (UNKNOWN, True),
        (replace(GIVEN, answered_by="handoff"), True),
        (replace(GIVEN, low_confidence=True, cited=()), True),
        (replace(GIVEN, low_confidence=True), False),
        (replace(GIVEN, cited=()), False),
    ],
    ids=["nothing found", "handed to a person", "unsure without a page", "unsure with a page", "sure without a page"],
)
def test_a_refusal_is_never_right(answer: Answer, is_refusal: bool) -> None:
    assert mark(ASKED, answer).verdict == ("refused" if is_refusal else "right")
    assert mark(IN_VAIN, answer).verdict == ("held back" if is_refusal else "made up")


def test_the_cited_page_is_compared_by_its_path() -> None:
    assert mark(ASKED, GIVEN).cites_right_page
    assert not mark(ASKED, replace(GIVEN, cited=("http://a/OTHER.html",))).cites_right_page


def test_figures_count_what_came_of_the_questions() -> None:
    wrong = replace(GIVEN, text="No idea.", confidence=0.4)
    counted = figures([mark(ASKED, GIVEN), mark(ASKED, wrong), mark(ASKED, UNKNOWN), mark(IN_VAIN, UNKNOWN)])
    assert (counted.answerable, counted.right, counted.early, counted.right_page, counted.refused) == (3, 1, 1, 2, 1)
    assert (counted.unanswerable, counted.held_back) == (1, 1)
    assert (counted.mean_chars, counted.auroc_right) == (27, 1.0)
    assert counted.auroc_answerable == pytest.approx(0.833)


def test_there_are_no_figures_of_what_was_not_asked() -> None:
    counted = figures([mark(IN_VAIN, UNKNOWN)])
    assert (counted.mean_chars, counted.auroc_right, counted.auroc_answerable) == (None, None, None)


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({"site": "fish"}, "site: 'fish' in the file of 'postfix'"),
        ({"answerable": False}, "answerable"),
        ({"expect_paths": []}, "answerable"),
        ({"expect": [[]]}, "expect"),
        ({"expect": ["abc"]}, "expect"),
    ],
    ids=["of another site", "patterns without an answer", "no page", "an empty group", "no group"],
)
def test_a_question_that_is_not_well_formed_is_named(tmp_path: Path, told: dict[str, object], reason: str) -> None:
    asked = {"site": "postfix", "kind": "howto", "question": "How?", "answerable": True}
    asked |= {"expect": [["a"]], "expect_paths": ["A.html"]} | told
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "postfix.jsonl").write_text(json.dumps(asked), "utf-8")
    with pytest.raises(ValueError, match=rf"postfix\.jsonl, line 1: {reason}"):
        read_questions(tmp_path, "postfix")


def test_a_site_is_the_pages_that_its_globs_name(tmp_path: Path) -> None:
    for path in ("index.html", "news.html", "cmds/set.html", "cmds/deep/x.html", "logo.png"):
        (tmp_path / "doc" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "doc" / path).write_text(f"<title>A &amp; {path}</title>", "utf-8")
    site = Site("fish", "fish", "fish-common", "doc", ("*.html", "cmds/*.html"), ("news.html",))
    website = site.website(tmp_path)
    assert list(website) == ["/", "/cmds/set.html", "/index.html"]
    assert b'<a href="/cmds/set.html">A &amp; cmds/set.html</a>' in website["/"][1]


def test_every_site_has_its_questions_and_no_file_is_left_over() -> None:
    assert {file.stem for file in (OWN_SET / "questions").iterdir()} == set(SITES)


@every_row("site", SITES)
def test_the_questions_of_a_site_are_well_formed(site: str) -> None:
    questions = read_questions(OWN_SET, site)
    assert len({question.text.casefold() for question in questions}) == len(questions)
    for question in questions:
        assert question.text.strip()
        assert (question.kind == "unanswerable") is not question.is_answerable
        for pattern in (pattern for group in question.expect for pattern in group):
            assert re.search(pattern, "") is None, f"{question.text}: {pattern!r} fits any text"
