"""A page about one thing is called by its name, in the browser's tab as well; whoever may not change it sees it all."""

import re

import pytest

from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole, every_page

NAMES = {
    "live_chat": "Live chat with Visitor ",
    "curated_answer": "Hours?",
    "golden_question": "When are you open?",
    "saved_reply": "Thanks",
}


async def shown(console: OpenConsole, name: str) -> str:
    [page] = [page for page in every_page() if page.name == name]
    return await console.viewer.page(console.path(page))


@pytest.mark.parametrize(("name", "called"), NAMES.items(), ids=NAMES.keys())
async def test_a_page_is_called_by_what_it_is_about(console: OpenConsole, name: str, called: str) -> None:
    html = await shown(console, name)
    [heading], [title] = re.findall("<h1[^>]*>(.*?)</h1>", html), re.findall("<title>(.*?)</title>", html)
    assert heading.startswith(called)
    assert called.removeprefix("Live chat with ") in title


@pytest.mark.parametrize(
    ("name", "facts"),
    [
        ("curated_answer", ("Matches Exactly this question", "Answer From 9 to 17.", "Priority 0")),
        ("source", ("Settings Name Docs Address https://www.example.com Maximum pages 2000", "Include paths –")),
        ("repository", ("Repository Owner nimbrel Repository website", "File patterns")),
        ("golden_question", ("Question When are you open?", "Patterns the answer must match –")),
    ],
    ids=["curated_answer", "source", "repository", "golden_question"],
)
async def test_a_viewer_sees_each_value(console: OpenConsole, name: str, facts: tuple[str, ...]) -> None:
    html = await shown(console, name)
    assert [fact for fact in facts if fact not in text_of(html)] == []
    assert not re.search(r'<(input|textarea|select)\b(?! type="hidden")', html.split("<main")[1])


async def test_a_viewer_is_told_where_there_is_nothing(console: OpenConsole) -> None:
    assert "No pull requests yet" in await shown(console, "pull_requests")
