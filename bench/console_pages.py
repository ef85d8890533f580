"""`python -m bench.console_pages [--turns 100000]`: what each page of the console costs over a large record.

Processor time of this process for a page that is signed in to and asked for in memory: what reads the record, makes the
figures and draws the HTML, in all threads. The record is SQLite's, of one agent whose turns lie in the last 90 days,
three in a conversation, of 400 questions that are a topic each and 300 of which are a gap whenever they are asked, one
in eleven with a thumb. Reports and Quality are looked at over all of it as well, and conversations are searched for a
word that none has. Machines differ and other programs run: compare pages
with one another, and a tree with the one before.
"""

import argparse
import asyncio
import json
import statistics
import tempfile
import time
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Final
from uuid import UUID

import structlog

from app.conversations.records.conversations import ConversationRecords
from app.conversations.records.turns import TurnRecords
from app.core.turn import AnsweredBy, Channel, GapReason, VisitorSession
from app.reports.records.topics import TopicRecords
from app.reports.report import TopicPlace
from app.reports.reports import DayPacking
from app.store.system_of_record import Transaction
from tests.doubles.visitors import visitor_of
from tests.store.sample_rows import OWNER, a_turn, an_end, an_id
from tests.web.console.page_examples import OpenConsole, every_page, open_console

DAYS: Final = 90
BATCH: Final = 100
QUESTIONS: Final = 400
WIDE: Final = {"report": "first=2025-01-02&last=2026-01-01", "quality": "days=90"}
RANKED: Final = [{"url": f"https://docs.example/{each}", "title": "A page", "calibrated": 0.5} for each in range(12)]
FIGURES: Final = {"conversation_search_cpu_ms": "conversations, nothing found", "gaps_page_cpu_ms": "gaps"}
WRITERS: Final = (AnsweredBy.MODEL, AnsweredBy.EXTRACTIVE, AnsweredBy.CURATED, AnsweredBy.MODEL)


async def fill(console: OpenConsole, turns: int) -> None:
    """Asked and answered as visitors' turns are, so that everything that follows from a turn's end is there."""
    house = console.house
    session = await visitor_of(house.record, house.actor.workspace_id, house.agent.id)
    house.clock.advance(-DAYS * 86_400)
    topics: dict[int, UUID] = {}
    for begun in range(0, turns, BATCH):
        numbers = range(begun, min(begun + BATCH, turns))
        asked = await house.record.write(partial(_write, session, numbers))
        await house.record.write(partial(_place, session.agent_id, asked, topics))
        if len(topics) < QUESTIONS:
            topics = await house.record.read(partial(_topics, session.agent_id))
        house.clock.advance(DAYS * 86_400 * len(numbers) / turns)


def _write(session: VisitorSession, numbers: range, tx: Transaction) -> dict[int, UUID]:
    """Return the turns."""
    own = session
    turns: dict[int, UUID] = {}
    for number in numbers:
        if number % 3 == 0 or number == numbers[0]:
            visitor = ConversationRecords(tx).visitor(session.agent_id, an_id())
            conversation = ConversationRecords(tx).start(visitor, Channel.WIDGET)
            own = replace(session, visitor_id=visitor.id, conversation_id=conversation.id)
        asked = replace(
            a_turn(f"How do I set up part {number % QUESTIONS} of it?"), page_url=f"https://docs.example/{number % 50}"
        )
        TurnRecords(tx).begin(own, asked, 1, OWNER)
        gap = GapReason.LOW_CONFIDENCE if number % QUESTIONS % 4 else None
        end = an_end(
            answered_by=WRITERS[number % 4],
            gap=gap,
            language="en",
            first_token_ms=300 + number % 900,
            trace={"ranked": RANKED},
        )
        TurnRecords(tx).finish(asked.turn_id, end)
        if number % 11 == 0:
            TurnRecords(tx).feedback(own, asked.turn_id, "up" if number % 2 else "down", "")
        turns[number] = asked.turn_id
    return turns


def _place(agent_id: UUID, turns: dict[int, UUID], topics: dict[int, UUID], tx: Transaction) -> None:
    """As a worker does that knows which question it is."""
    places: dict[int, TopicPlace] = {}
    for number, turn_id in turns.items():
        question = number % QUESTIONS
        place = places.setdefault(question, TopicPlace([float(question)], topics.get(question), None))
        place.turns.append((turn_id, str(question)))
    TopicRecords(tx).place(agent_id, "the model", list(places.values()))


def _topics(agent_id: UUID, tx: Transaction) -> dict[int, UUID]:
    places = TopicRecords(tx).places(agent_id, QUESTIONS)
    return {int(place.meaning[0]): place.topic_id for place in places if place.topic_id is not None}


async def measured(console: OpenConsole, rounds: int) -> dict[str, list[float]]:
    """Milliseconds of each page in each round; the first look, which reads templates, is none."""
    left_out = {"nothing", "sign_in_at_provider", "provider_answer", "signed_out", "sign_out_at_provider"}
    pages = [
        page
        for page in every_page()
        if page.method == "GET" and not page.is_file and not page.is_stream and page.scope and page.name not in left_out
    ]
    paths = {page.name: console.path(page) for page in pages}
    paths["conversations, nothing found"] = f"{paths['conversations']}?q=zeppelin"
    paths |= {f"{name} of all": f"{paths[name]}?{query}" for name, query in WIDE.items()}
    found: dict[str, list[float]] = {name: [] for name in paths}
    for number in range(rounds + 1):
        for name, path in paths.items():
            before = time.process_time()
            await console.admin.page(path)
            if number:
                found[name].append((time.process_time() - before) * 1000)
    return found


async def main(turns: int, rounds: int) -> dict[str, list[float]]:
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    with tempfile.TemporaryDirectory() as folder:
        async with open_console(Path(folder)) as console:
            await fill(console, turns)
            while await DayPacking(console.house.record, console.house.clock).pack():
                pass  # as a worker does while they are asked
            return await measured(console, rounds)


if __name__ == "__main__":
    reader = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    reader.add_argument("--turns", type=int, default=100_000)
    reader.add_argument("--rounds", type=int, default=5)
    reader.add_argument("--json", action="store_true", help="one object on one line")
    wanted = reader.parse_args()
    found = asyncio.run(main(wanted.turns, wanted.rounds))
    if wanted.json:
        ratios = {figure: statistics.median(found[page]) for figure, page in FIGURES.items()}
        print(json.dumps({"ratios": ratios, "turns": wanted.turns, "milliseconds": found}))
    else:
        for name, times in sorted(found.items(), key=lambda each: -statistics.median(each[1])):
            print(f"{name:30}{statistics.median(times):8.0f} ms{max(times):8.0f} at most")
