"""What every TurnLog promises."""

import asyncio
from collections.abc import Sequence
from datetime import date
from uuid import UUID, uuid4

from app.core.turn import AnsweredBy, Citation, Finish
from app.core.turn_events import Citations, Done, Error, NumberedEvent, Start, Status, Token, TurnEvent
from app.turns.remote.turn_log import EventBatch, TurnHead, TurnLog

SOON = 0.05  # what has to come is there already
LONG = 5.0


def a_head() -> TurnHead:
    return TurnHead(uuid4(), uuid4(), "f" * 64)


def numbered(*events: TurnEvent, first: int = 1) -> list[NumberedEvent]:
    return [NumberedEvent(number, event) for number, event in enumerate(events, first)]


def a_whole_turn(head: TurnHead) -> list[NumberedEvent]:
    cited = (
        Citation(1, "https://a.example/ü", "Tïtle", date(2026, 5, 1), "c1", "Wörds\tof it", "and öthers"),
        Citation(2, "https://a.example", "T", None),
    )
    return numbered(
        Start(head.turn_id, head.conversation_id),
        Status("searching"),
        Token('line\r\n"quoted" \u2028 日本語 \x00'),
        Citations(cited),
        Done(head.turn_id, uuid4(), AnsweredBy.MODEL, False, 0.8125, Finish.LENGTH),
    )


class TurnLogContract:
    """A subclass gives the fixture `log`."""

    async def test_every_kind_of_event_comes_back_as_it_was(self, log: TurnLog) -> None:
        head = a_head()
        whole = [*a_whole_turn(head)[:-1], NumberedEvent(5, Error("internal", "Sorry.", retryable=True))]
        await log.append([EventBatch(head, whole)])

        assert await log.read(head.turn_id, 0, SOON) == whole
        assert await log.head(head.turn_id) == head

    async def test_a_reader_gets_what_is_above_the_number_that_it_has(self, log: TurnLog) -> None:
        head = a_head()
        whole = a_whole_turn(head)
        for part in (whole[:1], whole[1:4], whole[4:]):
            await log.append([EventBatch(head, part)])

        for seen in range(len(whole)):
            assert await log.read(head.turn_id, seen, SOON) == whole[seen:]
        assert await log.read(head.turn_id, len(whole), SOON) == []

    async def test_a_reader_waits_for_a_turn_that_begins_or_goes_on(self, log: TurnLog) -> None:
        head = a_head()
        whole = a_whole_turn(head)
        waiting = [asyncio.create_task(log.read(head.turn_id, 0, LONG)) for _ in range(3)]
        await asyncio.sleep(SOON)
        await log.append([EventBatch(head, whole[:2])])

        assert await asyncio.gather(*waiting) == [whole[:2]] * 3
        later = asyncio.create_task(log.read(head.turn_id, 2, LONG))
        await log.append([EventBatch(head, whole[2:])])
        assert await later == whole[2:]

    async def test_nothing_within_the_time_is_nothing(self, log: TurnLog) -> None:
        assert await log.read(uuid4(), 0, SOON) == []
        assert await log.head(uuid4()) is None

    async def test_a_reader_that_leaves_takes_its_wait_with_it(self, log: TurnLog) -> None:
        heads = [a_head() for _ in range(50)]
        await log.append([EventBatch(head, a_whole_turn(head)[:1]) for head in heads])
        await asyncio.gather(*(log.read(head.turn_id, 0, LONG) for head in heads))
        readers = [asyncio.create_task(log.read(head.turn_id, 1, LONG)) for head in heads]
        await asyncio.sleep(SOON)
        for reader in readers:
            reader.cancel()
        await asyncio.gather(*readers, return_exceptions=True)

        assert all(reader.cancelled() for reader in readers)
        assert await log.read(uuid4(), 0, SOON) == []

    async def test_appending_again_changes_nothing(self, log: TurnLog) -> None:
        head = a_head()
        whole = a_whole_turn(head)
        for part in (whole[:2], whole[:2], whole[:4], whole[2:], whole):
            assert await log.append([EventBatch(head, part)]) == []

        assert await log.read(head.turn_id, 0, SOON) == whole
        assert await log.read(head.turn_id, 3, SOON) == whole[3:]

    async def test_many_turns_are_appended_at_once_and_kept_apart(self, log: TurnLog) -> None:
        turns = {head.turn_id: (head, a_whole_turn(head)) for head in (a_head() for _ in range(20))}
        await log.append([EventBatch(head, events) for head, events in turns.values()])

        for turn_id, (_, events) in turns.items():
            assert await log.read(turn_id, 0, SOON) == events

    async def test_a_turn_whose_beginning_is_lost_is_named_and_not_kept(self, log: TurnLog) -> None:
        lost, kept = a_head(), a_head()
        batches = [EventBatch(lost, a_whole_turn(lost)[2:]), EventBatch(kept, a_whole_turn(kept))]

        assert list(await log.append(batches)) == [lost.turn_id]
        assert await log.head(lost.turn_id) is None
        assert await log.head(kept.turn_id) == kept

    async def test_a_forgotten_turn_is_gone(self, log: TurnLog) -> None:
        await log.forget([])
        heads: Sequence[TurnHead] = [a_head(), a_head()]
        await log.append([EventBatch(head, a_whole_turn(head)) for head in heads])
        await log.forget([heads[0].turn_id, UUID(int=0)])

        assert await log.head(heads[0].turn_id) is None
        assert await log.read(heads[0].turn_id, 0, SOON) == []
        assert await log.head(heads[1].turn_id) == heads[1]
