"""Operators read what visitors asked, and make something of it in one click."""

from tests.web.console.browser import text_of
from tests.web.console.page_examples import OpenConsole


def place(console: OpenConsole, rest: str = "") -> str:
    return f"/console/agents/{console.house.agent.id}/conversations{rest}"


def turn(console: OpenConsole, act: str) -> str:
    ids = console.rooms.ids
    return place(console, f"/{ids['conversation_id']}/turns/{ids['turn_id']}/{act}")


async def test_conversations_are_found_by_what_was_said(still_console: OpenConsole) -> None:
    viewer = still_console.viewer
    assert "Is there a discount?" in await viewer.page(place(still_console))
    found = await viewer.page(place(still_console, "?q=DISCOUNT&low=yes&answered_by=&rating=&since="))
    assert "Is there a discount?" in found
    assert "What does it cost?" not in found
    assert 'value="DISCOUNT"' in found
    assert "Nothing found" in await viewer.page(place(still_console, "?q=zebra"))
    assert (await viewer.get(place(still_console, "?rating=sideways"))).status_code == 422


async def test_a_thread_shows_what_made_each_answer(still_console: OpenConsole) -> None:
    path = place(still_console, f"/{still_console.rooms.ids['conversation_id']}")
    shown = text_of(await still_console.viewer.page(path))
    for words in ("What does it cost?", "12 euros [1].", "confidence 20%", "Quoted from pages", "Pricing"):
        assert words in shown
    assert "Make it a gap" not in shown
    assert "Make it a gap" in await still_console.editor.page(path)


async def test_a_turn_becomes_a_gap_or_a_golden_question_in_one_click(console: OpenConsole) -> None:
    assert "is a gap now" in await console.editor.flash(await console.editor.post(turn(console, "gap")))
    told = await console.editor.flash(await console.editor.post(turn(console, "golden")))
    assert told == '"What does it cost?" is a golden question with 1 of its pages.'


async def test_a_turn_of_another_conversation_is_not_there(console: OpenConsole) -> None:
    ids = console.rooms.ids
    path = place(console, f"/{ids['conversation_id']}/turns/{ids['gap_id']}/gap")
    assert (await console.editor.post(path)).status_code == 404
