"""What a visitor was told in a turn, and what is stored of it."""

from app.conversations.records.stored_turns import StoredTurnRecords
from app.core.list_page import PageRequest
from app.core.turn import GapReason, GapState, StoredTurn, TurnRequest
from app.core.turn_events import Done, Token, TurnEvent, TurnFeed
from app.gaps.records.gaps import GapRecords
from tests.doubles.answering_house import AnsweringHouse


def text(events: list[TurnEvent]) -> str:
    return "".join(event.token for event in events if isinstance(event, Token))


def done(events: list[TurnEvent]) -> Done:
    last = events[-1]
    assert isinstance(last, Done), events
    return last


async def heard(live: TurnFeed) -> list[TurnEvent]:
    return [numbered.event async for numbered in live.events()]


async def until_tokens(live: TurnFeed, count: int) -> list[TurnEvent]:
    """What is heard up to the `count`-th token."""
    events: list[TurnEvent] = []
    async for numbered in live.events():
        events.append(numbered.event)
        count -= isinstance(numbered.event, Token)
        if count == 0:
            break
    return events


async def stored(house: AnsweringHouse, request: TurnRequest | None = None) -> StoredTurn:
    """Its turn, or that of what was asked last by `house.ask`."""
    turn = await house.record.read(lambda tx: StoredTurnRecords(tx).find((request or house.sent[-1]).turn_id))
    assert turn is not None
    return turn


async def open_gaps(house: AnsweringHouse) -> list[tuple[str, int, GapReason]]:
    """Question, count and reason of each."""
    page = await house.record.read(lambda tx: GapRecords(tx).page(house.agent_id, GapState.OPEN, PageRequest()))
    return [(gap.question, gap.count, gap.reason) for gap in page.items]
