"""Golden questions are written, imported and asked, and the page says what was won and lost."""

from dataclasses import replace
from uuid import UUID, uuid4

from app.agents.agent_choices import PublishGate
from app.agents.agents import Agents
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.records import CuratedAnswerRecords
from app.quality.golden_question import GoldenMark, GoldenRun, GoldenSide
from app.quality.golden_run_execution import SearchUnderTest, fingerprint
from app.quality.golden_runs import BOTH, GoldenRuns, GoldenRunWorker
from app.quality.records.golden_questions import GoldenQuestionRecords, GoldenRunRecords
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
        "Step Draft: first Draft: in first 5 Live: first Live: in first 5 By meaning 0% 0% 0% 0% By words",
    ):
        assert words in shown
    assert not {"MRR", "nDCG", "vector"} & set(shown.split())
    assert "0 of 1" in text_of(await console.viewer.page(place(console)))


async def test_models_are_compared_in_a_table(console: OpenConsole) -> None:
    response = await console.editor.post(place(console, "/models"), {"models": ["usual", "none"]})
    shown = text_of(await console.viewer.page(response.headers["location"]))
    assert "A worker is asking the questions" in shown
    house = console.house
    await GoldenRunWorker(house.record, house.parts.get(SearchUnderTest), house.clock).go_on()
    shown = text_of(await console.viewer.page(response.headers["location"]))
    for words in ("Partly or wrong", "The usual one", "None: quotations", "First word", "When are you open?"):
        assert words in shown
    assert "2 models" in text_of(await console.viewer.page(place(console)))
    refused = await console.editor.post(place(console, "/models"), {"models": ["huge"]})
    assert "Choose 1 to 8 of usual, large, none." in text_of(refused.text)


async def test_without_a_model_none_can_judge(console: OpenConsole) -> None:
    refused = await console.editor.post(place(console, "/models"), {"models": ["none"], "judge": "model"})
    assert "No chat model is set up that could judge." in text_of(refused.text)
    path = f"/v1/agents/{console.house.agent.id}/golden-questions/run"
    for body, why in (
        ({"judge": "model"}, "Name the models"),
        ({"judge": "model", "models": ["none"]}, "No chat model"),
    ):
        error = (await console.house.api("POST", path, body)).json()["error"]
        assert (error["field"], why in error["message"]) == ("judge", True)


async def test_a_run_names_what_the_answers_lack(console: OpenConsole) -> None:
    one = place(console, f"/{console.rooms.ids['golden_id']}")
    await console.editor.post(one, {"question": "When are you open?", "answer_contains": "at midnight"})
    response = await console.editor.post(place(console, "/run"))
    assert "missing at midnight" in text_of(await console.viewer.page(response.headers["location"]))


async def test_a_run_that_goes_on_looks_again_by_itself(console: OpenConsole) -> None:
    response = await console.editor.post(place(console, "/run"))
    path, run_id = response.headers["location"], UUID(response.headers["location"].rpartition("/")[2])
    house = console.house
    run = await house.parts.get(GoldenRuns).golden_run(house.actor, house.agent.id, run_id)

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


async def test_a_refused_draft_shows_its_run_and_the_two_answers_to_what_it_loses(console: OpenConsole) -> None:
    house = console.house
    settings = f"/console/agents/{house.agent.id}/settings"
    run = await _losing(console)
    refused = await console.editor.post(f"{settings}/publish", {"note": "Stricter."})
    text = text_of(refused.text)
    assert (refused.status_code, "Not published. The draft loses golden questions" in text) == (422, True)
    assert "with force" not in text
    assert "Publish anyway" in text
    assert f"/golden/runs/{run.id}" in refused.text
    assert 'hx-trigger="load, submit"' in refused.text, "the answers follow without a click"
    assert 'value="Stricter."' in refused.text
    shown = text_of(await console.editor.page(place(console, f"/runs/{run.id}")))
    assert "Draft Right 0 of 1 Declined, answerable 1 of 1 Declined, not answerable –" in shown
    both = text_of((await console.editor.post(place(console, "/lost"))).text)
    assert "Published right page at 1, answers, 80% From nine." in both
    assert "Draft wrong declines, 20% From nine." in both


async def _losing(console: OpenConsole) -> GoldenRun:
    """A draft that its gate refuses, by a run that is there already; a curated answer is what both versions say."""
    house = console.house
    strict = await house.parts.get(Agents).change_draft(
        house.actor, house.agent.id, lambda draft: replace(draft, publish_gate=PublishGate.REFUSE)
    )
    with house.record.writing() as tx:
        golden = GoldenQuestionRecords(tx).questions(strict.id)
        asked = golden[0]
        answer = CuratedAnswer(uuid4(), strict.id, Trigger.EXACT, asked.question, "From nine.")
        CuratedAnswerRecords(tx).create(answer)
        right = GoldenMark(asked.id, asked.question, 1, 0.8, would_answer=True, is_right=True, is_answerable=True)
        wrong = replace(right, place=None, confidence=0.2, would_answer=False, is_right=False)
        live, draft = (GoldenSide({}, 0, (mark,)) for mark in (right, wrong))
        run = GoldenRun(
            uuid4(),
            strict.id,
            "ann",
            house.clock.now(),
            5,
            fingerprint(strict, golden, BOTH),
            strict.generation,
            strict.live_version,
            1,
            1,
            live,
            draft,
        )
        GoldenRunRecords(tx).add(run, 10)
    return run
