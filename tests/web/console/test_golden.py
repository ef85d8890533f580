"""Golden questions are written, imported and asked, and the page says what was won and lost."""

from dataclasses import replace
from uuid import UUID

from app.quality.golden_runs import GoldenRuns
from app.quality.records.golden_questions import GoldenRunRecords
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole


def place(console: OpenConsole, rest: str = "") -> str:
    return f"/console/agents/{console.house.agent.id}/golden{rest}"


async def test_questions_are_written_imported_changed_and_deleted(console: OpenConsole) -> None:
    editor = console.editor
    new = {"question": "Open on Sunday?", "pages": "https://a.example/x\n\nhttps://a.example/y"}
    assert "added" in await editor.flash(await editor.post(place(console), new))
    csv = {"csv": "question,pages\nOpen on Monday?,\nOpen on Sunday?,https://a.example/z\n"}
    assert "1 added, 1 changed." in await editor.flash(await editor.post(place(console, "/import"), csv))
    expecting = {"question": "Open on Tuesday?", "answer_contains": "nine\n17:00", "answer_matches": r"\d+:\d+"}
    assert "added" in await editor.flash(await editor.post(place(console), expecting))
    listed = text_of(await console.viewer.page(place(console)))
    assert r"nine · 17:00 · \d+:\d+" in listed
    one = place(console, f"/{console.rooms.ids['golden_id']}")
    assert "saved" in await editor.flash(await editor.post(one, {"question": "Open at all?", "pages": ""}))
    listed = text_of(await console.viewer.page(place(console)))
    for words in ("Open at all?", "none: should be declined", "https://a.example/z", "imported"):
        assert words in listed
    assert "deleted" in await editor.flash(await editor.post(f"{one}/delete"))
    assert "Open at all?" not in await console.viewer.page(place(console))


async def test_a_run_is_shown_question_by_question(console: OpenConsole) -> None:
    response = await console.editor.post(place(console, "/run"))
    assert response.status_code == 303
    shown = text_of(await console.viewer.page(response.headers["location"]))
    for words in (
        "Golden run",
        "The draft and the published version get the same questions right.",
        "When are you open?",
        "wrong",
        "declines",
    ):
        assert words in shown
    assert "0 of 1" in text_of(await console.viewer.page(place(console)))


async def test_a_run_names_what_the_answers_lack(console: OpenConsole) -> None:
    one = place(console, f"/{console.rooms.ids['golden_id']}")
    await console.editor.post(one, {"question": "When are you open?", "answer_contains": "at midnight"})
    response = await console.editor.post(place(console, "/run"))
    assert "missing at midnight" in text_of(await console.viewer.page(response.headers["location"]))


async def test_a_run_that_goes_on_looks_again_by_itself(console: OpenConsole) -> None:
    response = await console.editor.post(place(console, "/run"))
    path, run_id = response.headers["location"], UUID(response.headers["location"].rpartition("/")[2])
    house = console.house
    run = await house.parts.get(GoldenRuns).get(house.actor, house.agent.id, run_id)

    async def shown(**now: object) -> str:
        await house.record.write(lambda tx: GoldenRunRecords(tx).save(replace(run, questions=40, **now)))  # type: ignore[arg-type]
        return await console.viewer.page(path)

    page = await shown(goes_on_at=house.clock.now())
    assert f'hx-get="{path}" hx-trigger="every 3s"' in page
    assert "A worker is asking the questions: 1 of 40 so far." in text_of(page)
    assert '<progress class="reading" value="1" max="40"' in page
    assert "running" in text_of(await console.viewer.page(place(console)))

    page = await shown(goes_on_at=None)
    assert "hx-trigger" not in page
    assert "1 of 40 questions were asked. Settings or questions have changed" in text_of(page)


async def test_what_is_wrong_stands_beside_its_field(still_console: OpenConsole) -> None:
    response = await still_console.editor.post(place(still_console, "/import"), {"csv": "a,b\n1,2\n"})
    assert response.status_code == 422
    assert 'id="import_golden-csv-wrong"' in response.text
    page = await still_console.editor.post(place(still_console), {"question": "Open?", "pages": "nowhere"})
    assert page.status_code == 422
    assert "nowhere</textarea>" in page.text
