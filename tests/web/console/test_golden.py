"""Golden questions are written, imported and asked, and the page says what was won and lost."""

from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole


def place(console: OpenConsole, rest: str = "") -> str:
    return f"/console/agents/{console.house.agent.id}/golden{rest}"


async def test_questions_are_written_imported_changed_and_deleted(console: OpenConsole) -> None:
    editor = console.editor
    new = {"question": "Open on Sunday?", "pages": "https://a.example/x\n\nhttps://a.example/y"}
    assert "is kept" in await editor.flash(await editor.post(place(console), new))
    csv = {"csv": "question,pages\nOpen on Monday?,\nOpen on Sunday?,https://a.example/z\n"}
    assert "1 added, 1 changed." in await editor.flash(await editor.post(place(console, "/import"), csv))
    one = place(console, f"/{console.rooms.ids['golden_id']}")
    assert "is saved" in await editor.flash(await editor.post(one, {"question": "Open at all?", "pages": ""}))
    listed = text_of(await console.viewer.page(place(console)))
    for words in ("Open at all?", "none: it should be declined", "https://a.example/z", "imported"):
        assert words in listed
    assert "is deleted" in await editor.flash(await editor.post(f"{one}/delete"))
    assert "Open at all?" not in await console.viewer.page(place(console))


async def test_a_run_is_shown_question_by_question(console: OpenConsole) -> None:
    response = await console.editor.post(place(console, "/run"))
    assert response.status_code == 303
    shown = text_of(await console.viewer.page(response.headers["location"]))
    for words in (
        "Golden run",
        "Draft and live get the same questions right.",
        "When are you open?",
        "wrong",
        "declines",
    ):
        assert words in shown
    assert "0 of 1" in text_of(await console.viewer.page(place(console)))


async def test_what_is_wrong_stands_beside_its_field(still_console: OpenConsole) -> None:
    response = await still_console.editor.post(place(still_console, "/import"), {"csv": "a,b\n1,2\n"})
    assert response.status_code == 422
    assert 'id="import_golden-csv-wrong"' in response.text
    page = await still_console.editor.post(place(still_console), {"question": "Open?", "pages": "nowhere"})
    assert page.status_code == 422
    assert "nowhere</textarea>" in page.text
