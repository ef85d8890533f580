"""How often a question asks the system of record: each transaction costs a thread's visit beside its statements."""

from pathlib import Path
from typing import Any

import pytest

from app.store.system_of_record import SystemOfRecord
from tests.doubles.answering_house import AnsweringHouse, answering_house
from tests.doubles.scripted_chat_model import ScriptedChatModel

QUESTION = "How many days may I return a lamp?"


class Transactions:
    """Counts those of every record."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.reads = self.writes = 0
        read, write = SystemOfRecord.read, SystemOfRecord.write

        async def counted_read(record: SystemOfRecord, work: Any) -> Any:
            self.reads += 1
            return await read(record, work)

        async def counted_write(record: SystemOfRecord, work: Any) -> Any:
            self.writes += 1
            return await write(record, work)

        monkeypatch.setattr(SystemOfRecord, "read", counted_read)
        monkeypatch.setattr(SystemOfRecord, "write", counted_write)


async def test_a_question_that_a_model_answers_takes_three_reads_and_two_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with answering_house(tmp_path, model=ScriptedChatModel(["Within 30 days."])) as house:
        await house.ask("How long does shipping to Norway take?")  # the first looks whether the indexes are filled
        counted = Transactions(monkeypatch)
        await house.ask(QUESTION)
    # agent, curated answers and what was said; which chunks are live; what stands around them
    assert (counted.reads, counted.writes) == (3, 2)


async def test_one_that_the_pages_answer_takes_one_more_for_further_questions(
    house: AnsweringHouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    await house.ask("How long does shipping to Norway take?")
    counted = Transactions(monkeypatch)
    await house.ask(QUESTION)
    assert (counted.reads, counted.writes) == (4, 2)
