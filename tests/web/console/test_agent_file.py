"""An agent's file at the console: taken, looked at, applied; by forms alone."""

import re
from html import unescape

from app.core.source_file import Upload
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole

_FILE = """settings: {tone: short}
curated_answers:
- {trigger: phrase, pattern: opening hours, answer: "From 9 to 17."}
"""


def place(console: OpenConsole, more: str = "") -> str:
    return f"/console/agents/{console.house.agent.id}/settings/file{more}"


def held_in(html: str) -> str:
    [found] = re.findall(r'<textarea name="text" hidden.*?>\n(.*?)</textarea>', html, re.DOTALL)
    return unescape(str(found))


async def test_what_was_taken_changes_nothing(console: OpenConsole) -> None:
    taken = await console.viewer.get(place(console, "/export"))
    assert taken.headers["content-disposition"] == 'attachment; filename="agent.yaml"'
    shown = await console.editor.post(place(console, "/look"), {"file": Upload("agent.yaml", taken.content)})
    assert "The agent already matches the file." in text_of(shown.text)
    live = await console.viewer.get(place(console, "/export?version=live"))
    assert live.text.startswith(("docent: 1", "# Not in this file"))


async def test_a_file_is_looked_at_then_applied_then_published(console: OpenConsole) -> None:
    editor = console.editor
    shown = (await editor.post(place(console, "/look"), {"file": Upload("a.yaml", _FILE.encode())})).text
    assert "friendly and plain → short" in text_of(shown)
    assert "phrase: opening hours" in text_of(shown)
    assert held_in(shown) == _FILE
    applied = await editor.flash(await editor.post(place(console), {"text": held_in(shown)}))
    assert "Visitors see no change until you publish." in applied
    answers = f"/console/agents/{console.house.agent.id}/curated-answers"
    assert "opening hours" not in await editor.page(answers)
    published = await editor.flash(await editor.post(place(console), {"text": _FILE, "publish": "true"}))
    assert published == "Applied: 1 change. Version 3 is live."
    assert "opening hours" in await editor.page(answers)


async def test_what_is_wrong_stands_beside_the_file(console: OpenConsole) -> None:
    wrong = Upload("a.yaml", b"settings: {tome: short}")
    refused = await console.editor.post(place(console, "/look"), {"file": wrong})
    assert refused.status_code == 422
    assert "settings.tome: There is no such field. Did you mean tone?" in text_of(refused.text)
    refused = await console.editor.post(place(console, "/look"), {"file": Upload("a.yaml", b"\xff\xfe")})
    assert "This is not UTF-8 text." in text_of(refused.text)


async def test_a_viewer_takes_it_and_applies_none(console: OpenConsole) -> None:
    assert "Apply a file" not in await console.viewer.page(place(console))
    assert (await console.viewer.post(place(console), {"text": _FILE})).status_code == 403
