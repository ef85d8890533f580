"""Replies that operators saved are put into live chats, with their variables filled in."""

import re

from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole
from tests.web.console.test_live import chat, heard, take


def text_typed(html: str) -> str:
    """What stands in the field of the message."""
    [found] = re.findall(r'<textarea id="reply_live-text".*?>\n(.*?)</textarea>', html, re.DOTALL)
    return str(found)


async def test_a_reply_is_written_changed_and_deleted(console: OpenConsole) -> None:
    editor, place = console.editor, "/console/saved-replies"
    assert "saved" in await editor.flash(await editor.post(place, {"title": "Hours", "text": "From 9 to 17."}))
    listed = await console.viewer.page(place)
    assert "From 9 to 17." in listed
    assert "Save a reply" not in listed  # a viewer only reads
    one = re.findall(r'href="(/console/saved-replies/[^"]+)"[^>]*>Hours', listed)[0]
    changed = {"title": "Hours", "text": "From 8 to 16.", "agent_id": str(console.house.agent.id)}
    await editor.post(one, changed)
    assert "From 8 to 16. Docs" in text_of(await console.viewer.page(place))
    assert "deleted" in await editor.flash(await editor.post(f"{one}/delete"))
    assert "From 8 to 16." not in await console.viewer.page(place)


async def test_a_variable_that_there_is_not_is_refused(console: OpenConsole) -> None:
    refused = await console.editor.post("/console/saved-replies", {"title": "Hi", "text": "Hi {{ name }}!"})
    assert refused.status_code == 422
    assert "{{name}} is unknown. Use one of {{agent}}" in text_of(refused.text)


async def test_a_reply_is_put_after_what_was_typed_and_sends_nothing(console: OpenConsole) -> None:
    await console.visitor_asks_for_a_person()
    await take(console, console.editor)
    text = "{{operator}} of {{agent}} here, about \u201c{{ question }}\u201d on {{page}}{{user}}."
    await console.editor.post("/console/saved-replies", {"title": "Hello", "text": text})
    page = await console.editor.page(chat(console))
    [reply_id] = re.findall(r'<option value="([^"]+)">Hello</option>', page)
    shown = await console.editor.post(chat(console, "/insert"), {"text": "Good day!", "saved_reply": reply_id})
    assert text_typed(shown.text) == (
        "Good day!\nAnn of Docs here, about \u201cWhat does it cost?\u201d on https://www.example.com/pricing."
    )
    assert await heard(console) == []


async def test_without_a_choice_what_was_typed_stays(console: OpenConsole) -> None:
    await console.visitor_asks_for_a_person()
    await take(console, console.editor)
    shown = (await console.editor.post(chat(console, "/insert"), {"text": "Good day!"})).text
    assert text_typed(shown) == "Good day!"
    assert "Choose a saved reply first." in shown


async def test_a_chat_has_the_replies_of_its_agent_and_of_all(console: OpenConsole) -> None:
    other = await console.house.api("POST", "/v1/agents", {"name": "Shop"})
    for title, agent in (("For all", None), ("Of the shop", other.json()["id"])):
        body = {"title": title, "text": "Hello.", "agent_id": agent}
        assert (await console.house.api("POST", "/v1/saved-replies", body)).status_code == 201
    conversation = console.rooms.ids["conversation_id"]
    filled = (await console.house.api("GET", f"/v1/conversations/{conversation}/saved-replies")).json()["items"]
    assert [each["title"] for each in filled] == ["For all", "Thanks"]
    assert filled[1]["text"] == "Thank you for writing to Docs."
