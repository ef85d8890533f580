"""How many turns one process takes, and what those hear that are too many."""

from collections.abc import Sequence
from pathlib import Path
from unittest.mock import patch

import anyio
import pytest

from app.core.errors import Overloaded
from app.core.turn import VisitorSession
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.hashing_embedder import HashingEmbedder
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.turns.outcomes import heard

QUESTION = "How long is the warranty?"


async def another(house: AnsweringHouse) -> VisitorSession:
    return (await house.conversations.open(await house.live_agent(), None)).session


async def test_past_its_bound_the_service_says_so_at_once(tmp_path: Path) -> None:
    go = anyio.Event()
    async with answering_house(tmp_path, model=ScriptedChatModel([go, "Yes [1]."]), max_running=1) as house:
        live = await house.turns.ask(house.session, house.request(QUESTION))
        with pytest.raises(Overloaded):
            await house.turns.ask(await another(house), house.request("Hello?"))
        go.set()
        assert (await heard(live))[-1].name == "done"


async def test_too_many_that_search_are_too_many(tmp_path: Path) -> None:
    go, searching = anyio.Event(), anyio.Event()

    async def slow(_self: HashingEmbedder, texts: Sequence[str]) -> list[list[float]]:
        searching.set()
        await go.wait()
        return await quick(house.embedder, texts)

    quick = HashingEmbedder.embed
    async with answering_house(tmp_path, max_searching=1) as house:
        with patch.object(HashingEmbedder, "embed", slow):
            live = await house.turns.ask(house.session, house.request(QUESTION))
            await searching.wait()
            with pytest.raises(Overloaded):
                await house.turns.ask(await another(house), house.request("Hello?"))
            go.set()
        assert (await heard(live))[-1].name == "done"
        await house.turns.ask(await another(house), house.request("Hello?"))


async def test_turns_that_write_leave_room_for_those_that_search(tmp_path: Path) -> None:
    go = anyio.Event()
    model = ScriptedChatModel(["Yes ", go, "[1]."])
    async with answering_house(tmp_path, model=model, max_searching=1) as house:
        lives = []
        for _ in range(3):
            live = await house.turns.ask(await another(house), house.request(QUESTION))
            lives.append(live)
            async for numbered in live.events():
                if numbered.event.name == "token":
                    break
        go.set()
        ends = [(await heard(live))[-1].name for live in lives]
        assert ends == ["done"] * 3
