"""A short reply that is never in time is not waited for again and again."""

import anyio
import pytest

from app.core.errors import ModelUnavailable
from app.providers.chat.chat_model import ChatMessage
from app.providers.chat.model_reply import ShortReplies
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step

ASKED = [ChatMessage("user", "?")]


class Asking:
    """Asks a model that plays these replies, by a clock that stands still."""

    def __init__(self, *replies: tuple[Step, ...]) -> None:
        self.model = ScriptedChatModel(*replies)
        self.now = 0.0
        self._replies = ShortReplies(self.model, now=lambda: self.now)

    async def ask(self) -> str:
        try:
            return await self._replies.ask(ASKED, max_tokens=5, budget_seconds=0.01)
        except ModelUnavailable:
            return ""


async def test_after_three_misses_it_rests_and_is_then_asked_once() -> None:
    late = Asking((anyio.Event(),))
    for _ in range(5):
        assert await late.ask() == ""
    assert len(late.model.requests) == 3
    late.now = 301.0
    for _ in range(3):
        await late.ask()
    assert len(late.model.requests) == 4


async def test_one_reply_in_time_is_a_fresh_start() -> None:
    late = (anyio.Event(),)
    asking = Asking(late, late, ("Ten.",), late, late, ("Ten.",))
    assert [await asking.ask() for _ in range(6)] == ["", "", "Ten.", "", "", "Ten."]


@pytest.mark.parametrize("error", [ModelUnavailable("away"), ModelUnavailable("refused", is_of_prompt=True)])
async def test_a_failure_at_once_is_no_miss(error: ModelUnavailable) -> None:
    failing = Asking((error,))
    for _ in range(5):
        await failing.ask()
    assert len(failing.model.requests) == 5
