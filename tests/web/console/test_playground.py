"""Draft beside live, asked in one form."""

from dataclasses import replace
from uuid import uuid4

from app.agents.agents import Agents
from app.answers.curated.curated_answer import CuratedAnswer, Trigger
from app.answers.curated.curated_answers import CuratedAnswers
from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole


async def test_draft_and_live_answer_side_by_side(console: OpenConsole) -> None:
    house = console.house
    path = f"/console/agents/{house.agent.id}/playground"
    await house.parts.get(CuratedAnswers).create(
        house.actor, CuratedAnswer(uuid4(), house.agent.id, Trigger.PHRASE, "refund", "Within 30 days.", language="de")
    )
    await house.parts.get(Agents).change_draft(house.actor, house.agent.id, lambda draft: replace(draft, language="de"))
    shown = text_of((await console.editor.post(path, {"question": "Your refund policy, please?"})).text)
    draft, live = shown[shown.index("Draft") :].split(" Live ", 1)
    assert "Within 30 days." in draft
    assert "curated" in draft
    assert "Within 30 days." not in live
    assert "a gap: low confidence" in live


async def test_what_is_wrong_stands_beside_its_field(still_console: OpenConsole) -> None:
    path = f"/console/agents/{still_console.house.agent.id}/playground"
    response = await still_console.editor.post(path, {"question": "Hello there", "page_url": "nowhere"})
    assert response.status_code == 422
    assert 'id="ask_playground-page_url-wrong"' in response.text
    assert "Hello there</textarea>" in response.text


async def test_a_viewer_does_not_ask(still_console: OpenConsole) -> None:
    path = f"/console/agents/{still_console.house.agent.id}/playground"
    assert "An editor or admin may ask here." in await still_console.viewer.page(path)
