"""Whether answers without a model hold what the golden questions of the demonstration site ask for:
`python -m tests.demo_quotes DIR`, where DIR is a data folder that nothing else uses."""

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any
from urllib.parse import urljoin
from uuid import UUID, uuid4

from app.agents.agent import AgentConfig
from app.agents.records import AgentRecords
from app.bootstrap.answering import Answering, open_answering
from app.bootstrap.infrastructure import Infrastructure, open_infrastructure
from app.bootstrap.knowledge import open_knowledge
from app.conversations.conversations import Conversations
from app.core.turn import AnsweredBy, TurnRequest
from app.core.turn_events import Done, Token
from app.knowledge.document import PageContent, SectionHeading
from app.settings import read_settings
from app.sources import kinds
from app.sources.records import SourceRecords
from app.sources.source import SourceConfig
from app.workspaces.records.tokens import TokenRecords
from crawler.extract.extraction import extract_page

_ROOT = Path(__file__).resolve().parents[1]
_PAGES = _ROOT / "app" / "demo_site"
_GOLDEN = _ROOT / "tests" / "data" / "demo_golden_questions.jsonl"
_FOLLOW_UPS = _ROOT / "tests" / "data" / "demo_follow_ups.jsonl"
_TRANSLATED = _ROOT / "tests" / "data" / "demo_questions_translated.jsonl"
_SITE = "https://nimbrel.example/"


async def measure(folder: Path) -> dict[str, dict[str, float]]:
    """By the language of the questions: English, Japanese, and, for a third of them each, German, French or Spanish;
    and for follow-ups, each after another question, of whose words any is enough.
    `questions` are those that the site answers; `quoted` of their answers hold every word that is expected, and
    `withheld` are refused. `held_back` of the `others` are."""
    golden = {row["id"]: row for row in _rows(_GOLDEN)}
    asked: dict[str, list[dict[str, Any]]] = defaultdict(list, {"en": list(golden.values())})
    for said in _rows(_TRANSLATED):
        asked[said["language"]].append(golden[said["id"]] | said)
    asked["follow-ups"] = _rows(_FOLLOW_UPS)
    async with open_infrastructure(read_settings(data=folder)) as base:
        agent_id = await _learn(base)
        async with open_answering(base) as answering:
            return {name: await _measured(base, answering, agent_id, rows) for name, rows in asked.items()}


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


async def _measured(
    base: Infrastructure, answering: Answering, agent_id: UUID, golden: Sequence[dict[str, Any]]
) -> dict[str, float]:
    answers = [
        (row, *await _answer(base, answering, agent_id, row["question"], after=row.get("after", ""))) for row in golden
    ]
    given = [(row, text, is_held) for row, text, is_held in answers if row["answerable"]]
    others = [is_held for row, _, is_held in answers if not row["answerable"]]
    return {
        "questions": len(given),
        "quoted": sum(
            not is_held
            and (any if "after" in row else all)(
                words.casefold() in text.casefold() for words in row["answer_contains"]
            )
            for row, text, is_held in given
        ),
        "withheld": sum(is_held for *_, is_held in given),
        "mean_chars": round(fmean(len(text) for _, text, _ in given)),
        "others": len(others),
        "held_back": sum(others),
    }


async def _learn(base: Infrastructure) -> UUID:
    with base.record.writing() as tx:
        workspace_id = TokenRecords(tx).default_workspace()
        agent = AgentRecords(tx).create(workspace_id, AgentConfig(name="Demo"))
        AgentRecords(tx).publish(workspace_id, agent.id)
        source = SourceRecords(tx).create(agent.id, SourceConfig(kinds.SITE, "Demo", _SITE))
    async with open_knowledge(base) as knowledge:
        for file in sorted(_PAGES.rglob("index.html")):
            url = urljoin(_SITE, file.relative_to(_PAGES).as_posix().removesuffix("index.html"))
            page = extract_page(file.read_bytes(), url, "utf-8")
            if not page.is_noindex:
                headings = tuple(SectionHeading(h.level, h.text, h.anchor) for h in page.headings)
                content = PageContent(url, page.title, page.markdown, headings, site="nimbrel.example", language="en")
                await knowledge.ingest.learn(agent.id, source.id, content)
    return agent.id


async def _answer(
    base: Infrastructure, answering: Answering, agent_id: UUID, question: str, *, after: str
) -> tuple[str, bool]:
    """The answer, and whether it is a refusal. With `after`, that is asked before it in the same conversation."""
    agent = await base.record.read(lambda tx: AgentRecords(tx).live(agent_id))
    session = (await Conversations(base.record, answering.history).open(agent, None)).session
    for asked in (*filter(None, [after]), question):
        live = await answering.turns.ask(session, TurnRequest(uuid4(), asked, _SITE))
        events = [item.event async for item in live.events()]
    is_held = any(isinstance(event, Done) and event.answered_by is AnsweredBy.FALLBACK for event in events)
    return "".join([event.token for event in events if isinstance(event, Token)]), is_held


if __name__ == "__main__":
    sys.stdout.write(f"{json.dumps(asyncio.run(measure(Path(sys.argv[1]))))}\n")
