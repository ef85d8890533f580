"""What moves reaches the pages that operators have open, for as long as they are signed in."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from app.live_chat.live_chats import LiveSigns, News, OperatorNews
from app.web.limits_policy import StreamPolicy
from tests.web.console.browser import ConsoleBrowser, an_operator, text_of
from tests.web.console.page_examples import OpenConsole
from tests.web.console.test_gaps import asked_in_vain
from tests.web.house import House, Json, open_house
from tests.web.live_server import FrameReader, serving


@dataclass
class Listening:
    house: House
    operator: ConsoleBrowser
    frames: FrameReader

    async def next(self) -> Json | None:
        return await self.frames.next()


@pytest.fixture
async def listening(tmp_path: Path) -> AsyncIterator[Listening]:
    async with (
        open_house(tmp_path, streams=StreamPolicy(news_look_seconds=0.01)) as house,
        serving(house.app) as (_, client),
    ):
        operator = await an_operator(house)
        cookies = "; ".join(f"{name}={value}" for name, value in operator.cookies.items())
        async with client.stream("GET", "/console/news", headers={"Cookie": cookies}) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            yield Listening(house, operator, FrameReader(response))


async def test_the_news_come_at_once_and_then_with_each_change(listening: Listening) -> None:
    first = await listening.next()
    assert first is not None
    assert (first["waiting"], first["asked_at"], first["moved_at"]) == (0, None, None)
    await asked_in_vain(listening.house, "Do you ship to Malta?")
    moved = await listening.next()
    assert moved is not None
    assert moved["moved_at"] == listening.house.clock.now().isoformat()


async def test_who_listens_is_there_for_visitors_who_ask_for_a_person(listening: Listening) -> None:
    assert await listening.next() is not None
    house = listening.house
    signs = house.parts.get(LiveSigns)
    assert await signs.is_staffed(house.actor.workspace_id)
    assert not await signs.is_staffed(house.stranger.workspace_id)


async def test_they_end_with_the_session(listening: Listening) -> None:
    assert await listening.next() is not None
    assert (await listening.operator.post("/console/sign-out")).status_code == 303
    assert await listening.next() is None


async def test_who_has_no_session_is_told_nothing_and_to_ask_no_more(console: OpenConsole) -> None:
    refused = await ConsoleBrowser(console.house).get("/console/news")
    assert (refused.status_code, refused.content) == (204, b"")


async def test_the_news_are_of_one_workspace(console: OpenConsole) -> None:
    await console.visitor_asks_for_a_person()
    actor, news = console.house.actor, console.house.parts.get(OperatorNews)
    own = await news.now(actor)
    assert (own.waiting, own.asked_at) == (1, console.house.clock.now())
    assert own.moved_at is not None
    assert await news.now(console.house.stranger) == News(0, None, None)


async def test_a_look_that_finds_nothing_new_is_not_told(console: OpenConsole) -> None:
    looks = 0

    async def pause() -> bool:
        nonlocal looks
        looks += 1
        if looks == 2:
            await console.visitor_asks_for_a_person()
        return looks < 5

    told = [news.waiting async for news in console.house.parts.get(OperatorNews).watch(console.house.actor, pause)]
    assert told == [0, 1]


async def test_without_a_script_every_page_says_who_waits_and_leads_there(console: OpenConsole) -> None:
    quiet = await console.viewer.page("/console/account")
    assert "<title>(" not in quiet
    assert 'id="in-line" hidden' in quiet
    await console.visitor_asks_for_a_person()
    shown = await console.viewer.page("/console/account")
    assert "<title>(1) " in shown
    assert 'id="in-line" hidden' not in shown
    assert "1 visitor is waiting for a person. Answer" in text_of(shown)
    assert 'href="/console/live?first=true">Answer</a>' in shown
    chat = (await console.viewer.get("/console/live?first=true")).headers["location"]
    assert chat == f"/console/live/{console.rooms.ids['conversation_id']}"
    assert 'id="in-line" hidden' in await console.viewer.page(chat), "whose chat is open is in sight"
    assert 'class="live-list"' in await console.viewer.page("/console/live")
