"""Two tenants with the same words in one database: whatever one of them names, nothing of the other comes over.

The registry is the list of routes: a new one is called here with the other tenant's ids, and fails the build where it
has a path parameter that no tenant of this file owns.
"""

import re
import sqlite3
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any, cast
from uuid import UUID, uuid4

import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy.engine.default import DefaultDialect

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.records import AgentRecords
from app.channels.program_questions import program
from app.conversations.privacy.records import VisitorRecords
from app.conversations.records.conversations import ConversationRecords
from app.core.errors import NotFound
from app.gaps.records.gaps import GapRecords
from app.sources.deletions.records import DeletionRecords
from app.sources.records import SourceRecords
from app.store.schema import PackedJson
from app.web.access import API_SCHEME, VISITOR_SCHEME
from app.web.endpoint import AnyEndpoint, Call
from tests.every_row import every_row
from tests.web.house import House, every_endpoint, open_house
from tests.web.route_examples import FurnishedHouse, furnish

ENDPOINTS = every_endpoint()
MARK = "zqxforeignzqx"
ASKED_ON_A_PAGE = f"{MARK}\n\n## What does {MARK} cost?\n\n12 euros."  # so that it is suggested as a first question
THEIR_ORIGIN = "https://www.another.example"
# Texts that a tenant gave or got, and how to find the rows of one agent.
OF_AGENT = "agent_id = :agent"
OF_TURN = "turn_id in (select id from turns where agent_id = :agent)"
OF_SOURCE = "source_id in (select id from sources where agent_id = :agent)"
PLANTED = {
    "messages": ("text", OF_TURN),
    "conversations": ("first_question", OF_AGENT),
    "conversation_labels": ("label", OF_AGENT),
    "conversation_notes": ("text", OF_AGENT),
    "gaps": ("question", OF_AGENT),
    "stale_answers": ("old_words", OF_AGENT),
    "repositories": ("root", OF_AGENT),
    "leads": ("message", OF_AGENT),
    "live_messages": ("text", OF_AGENT),
    "saved_filters": ("name", "workspace_id = (select workspace_id from agents where id = :agent)"),
    "user_issuers": ("issuer", OF_AGENT),
    "curated_answers": ("answer", OF_AGENT),
    "actions": ("description", OF_AGENT),
    "confirmations": ("summary", OF_AGENT),
    "curated_edits": ("answer", OF_AGENT),
    "golden_questions": ("question", OF_AGENT),
    "golden_runs": ("asked_by", OF_AGENT),
    "ordered_reports": ("name", OF_AGENT),
    "webhooks": ("url", OF_AGENT),
    "help_desks": ("account", OF_AGENT),
    "tickets": ("last_error", "desk_id in (select id from help_desks where agent_id = :agent)"),
    "mailboxes": ("address", OF_AGENT),
    "notice_channels": ("name", "workspace_id = (select workspace_id from agents where id = :agent)"),
    "model_endpoints": ("model", "workspace_id = (select workspace_id from agents where id = :agent)"),
    "documents": ("url", OF_AGENT),
    "chunks": ("text", "version_id in (select id from document_versions where agent_id = :agent)"),
    "source_files": ("name", OF_SOURCE),
    "source_pages": ("reason", OF_SOURCE),
    "source_access": ("name", OF_SOURCE),
    "webhook_deliveries": ("last_error", "webhook_id in (select id from webhooks where agent_id = :agent)"),
}
# Changes of one's own that a look at one's own things would be lost with, and streams of events.
LOOKS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET" and endpoint.operation != "watchSource"]


@dataclass
class Tenants:
    """`ours` calls; `theirs` has the marker, in another workspace of the same database."""

    folder: Path
    ours: FurnishedHouse
    theirs: FurnishedHouse

    def their_rows(self) -> Counter[tuple[str, str]]:
        """Every value of the database that has the marker."""
        with closing(sqlite3.connect(self.folder / "docent.sqlite")) as connection:
            tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
            return Counter(
                (table, str(value))
                for table in tables
                for row in connection.execute(f'select * from "{table}"')
                for value in row
                if MARK in str(value)
            )

    def leaks(self, response: httpx2.Response) -> list[str]:
        """What of theirs stands in an answer, beside what the caller named."""
        told = response.text + str(response.headers)
        asked = str(response.request.url)
        ids = {str(each) for each in self.theirs.ids.values()}
        return [word for word in (MARK, *ids) if word in told and word not in asked]


@pytest.fixture(scope="module")
async def tenants(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Tenants]:
    folder = tmp_path_factory.mktemp("tenants")
    async with open_house(folder, widget_files=folder) as house:
        ours = await furnish(house)
        theirs = await furnish(await the_other_house(house))
        plant(folder, theirs.house.agent.id)
        yield Tenants(folder, ours, theirs)


async def the_other_house(house: House) -> House:
    agents, actor = house.parts.get(Agents), house.stranger
    agent = await agents.create(actor, AgentConfig(f"Docs {MARK}", allowed_origins=("https://www.example.com",)))
    await agents.publish(actor, agent.id)
    return replace(
        house,
        actor=actor,
        stranger=house.actor,
        agent=await agents.agent(actor, agent.id),
        write=house.foreign,
        read=house.foreign,
        foreign=house.write,
    )


def plant(folder: Path, agent_id: UUID) -> None:
    with closing(sqlite3.connect(folder / "docent.sqlite")) as connection, connection:
        for table, (column, condition) in PLANTED.items():
            changed = connection.execute(
                f"update {table} set {column} = {column} || :mark where {condition}",
                {"mark": ASKED_ON_A_PAGE if table == "chunks" else MARK, "agent": agent_id.bytes},
            )
            assert changed.rowcount, f"{table} has nothing of the other tenant"
        connection.create_function("titled", 1, titled)
        cited = f"update citations set citations = titled(citations) where {OF_TURN}"
        assert connection.execute(cited, {"agent": agent_id.bytes}).rowcount
        gave = (
            f"update turns set curated_answer_id = (select id from curated_answers where {OF_AGENT}) where {OF_AGENT}"
        )
        assert connection.execute(gave, {"agent": agent_id.bytes}).rowcount
        page = f"update ordered_reports set page = page || :mark where {OF_AGENT}"
        assert connection.execute(page, {"agent": agent_id.bytes, "mark": MARK}).rowcount
        named = f'update sources set config = replace(config, \'"name": "\', \'"name": "{MARK}\') where {OF_AGENT}'
        assert connection.execute(named, {"agent": agent_id.bytes}).rowcount


def titled(packed: bytes) -> bytes | None:
    kind, dialect = PackedJson(), DefaultDialect()
    citations = kind.process_result_value(packed, dialect)
    return kind.process_bind_param([each | {"title": each["title"] + MARK} for each in citations], dialect)


def namings(tenants: Tenants, endpoint: AnyEndpoint) -> Iterator[dict[str, UUID]]:
    """Their ids in every place, and each of them among ours."""
    theirs = {**tenants.theirs.ids, **tenants.theirs.own_ids.get(endpoint.operation, {})}
    names = endpoint.path_ids
    yield {name: theirs[name] for name in names}
    if len(names) > 1:
        yield from ({name: theirs[name]} for name in names)


async def call(
    rooms: FurnishedHouse, endpoint: AnyEndpoint, path: str, headers: dict[str, str], **more: Any
) -> httpx2.Response:
    sent = {"json": rooms.body(endpoint)} if endpoint.form_model is None else rooms.form(endpoint)
    return await rooms.house.http.request(endpoint.method, path, headers={**headers, **more}, **sent)


def test_every_route_has_a_tenant_to_be_kept_from() -> None:
    owned = {
        *("agent_id", "golden_id", "turn_id", "source_id", "document_id", "deletion_id", "webhook_id", "delivery_id"),
        *(
            "action_id",
            "confirmation_id",
            "answer_id",
            "gap_id",
            "conversation_id",
            "visitor_id",
            "token_id",
            "operator_id",
            "golden_run_id",
            "lead_id",
            "note_id",
            "reply_id",
            "channel_id",
            "chat_model_id",
            "messenger_id",
            "stale_answer_id",
            "ticket_id",
            "filter_id",
        ),
    }
    named = {name for endpoint in ENDPOINTS for name in endpoint.path_ids}
    assert named <= owned, "furnish() in route_examples.py must make what the new route names"


@every_row(
    "endpoint",
    [e for e in ENDPOINTS if e.path_ids and (e.access.scheme or e.access is program)],
    ids=lambda endpoint: endpoint.operation,
)
async def test_their_ids_are_absent_for_us(endpoint: AnyEndpoint, tenants: Tenants) -> None:
    before = tenants.their_rows()
    for named in namings(tenants, endpoint):
        path = tenants.ours.path(endpoint, **named)
        response = await call(tenants.ours, endpoint, path, tenants.ours.headers(endpoint), **{"Last-Event-ID": "0"})
        assert response.status_code == 404, (named, response.text)
        assert tenants.leaks(response) == []
        unknown = tenants.ours.path(endpoint, **{name: uuid4() for name in named})
        absent = await call(tenants.ours, endpoint, unknown, tenants.ours.headers(endpoint))
        assert response.content == absent.content, "what is theirs must look like what is not there"
    assert tenants.their_rows() == before


@every_row("endpoint", LOOKS, ids=lambda endpoint: endpoint.operation)
async def test_looking_at_ours_shows_nothing_of_theirs(endpoint: AnyEndpoint, tenants: Tenants) -> None:
    response = await call(tenants.ours, endpoint, tenants.ours.path(endpoint), tenants.ours.headers(endpoint))
    assert tenants.leaks(response) == []


@every_row("endpoint", LOOKS, ids=lambda endpoint: endpoint.operation)
async def test_it_would_be_seen(endpoint: AnyEndpoint, tenants: Tenants) -> None:
    """Else its absence shows nothing: with their own token the planted things are there."""
    if endpoint.access.scheme != API_SCHEME or not endpoint.path_ids or endpoint.operation in NAMES_NOTHING_PLANTED:
        return
    response = await call(tenants.theirs, endpoint, tenants.theirs.path(endpoint), tenants.theirs.headers(endpoint))
    assert response.status_code == 200, response.text
    assert MARK in response.text + str(response.headers)


NAMES_NOTHING_PLANTED = {
    "getPicture",
    "listPullRequests",
    *(
        "getThresholdCurve",
        "getAgentBudget",
        "estimateReindex",
        "getAgentCosts",
        "getDeletion",
        "finishDeletion",
        "getSchedule",
        "getSourceText",
        "getUserSecretState",
        "listMessengers",
        "listRunPages",
        "previewSource",
    ),
}


@every_row(
    "endpoint", [e for e in ENDPOINTS if e.access.scheme == VISITOR_SCHEME], ids=lambda endpoint: endpoint.operation
)
async def test_our_visitors_token_is_worth_nothing_elsewhere(endpoint: AnyEndpoint, tenants: Tenants) -> None:
    """Not on a website that we do not list, and not as an API token."""
    headers = {**tenants.ours.headers(endpoint), "Origin": THEIR_ORIGIN}
    refused = await call(tenants.ours, endpoint, tenants.ours.path(endpoint), headers)
    assert (refused.status_code, tenants.leaks(refused)) == (403, [])
    assert THEIR_ORIGIN in refused.json()["error"]["message"]
    as_api_token = await tenants.ours.house.api("GET", "/v1/agents", token=tenants.ours.visitor.session["token"])
    assert as_api_token.status_code == 401


# Ids made to slip through a parser.

HOSTILE_IDS = 10_000
_IDS_OF_AN_EXAMPLE = 100
UUID_FORM = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", re.ASCII)
ARABIC_DIGITS = {ord("0") + digit: chr(0x660 + digit) for digit in range(10)}


SPELLINGS: list[Callable[[str], str]] = [
    str.upper, str.title, lambda t: t.replace("-", ""), lambda t: "{" + t + "}", lambda t: "urn:uuid:" + t,
    lambda t: " " + t, lambda t: t + "\n", lambda t: t + "%00", lambda t: t + "/..", lambda t: t + "' or '1'='1",
    lambda t: t.translate(ARABIC_DIGITS), lambda t: t[:-1], lambda t: "../" + t, lambda t: f"{t},{t}",
    lambda t: t[::-1],
]  # fmt: skip
NUMBERS = ("-1", "0", "1.5", "1e3", "\u00b2", "\u0661", "9223372036854775808", "9" * 5000)
ODD_CHARS = "0123456789abcdefABCDEF-{}%'\"\\/. \t\n\0\u200b\u0660\uff10\ufeff\U0001d7ce"


def disguised(random: Random, known: UUID) -> str:
    """A foreign id as it is, in other spellings, or with characters changed; and what only looks like one."""
    text = str(known)
    match random.randrange(9):
        case 0:
            return text
        case 1:
            return str(UUID(int=random.getrandbits(128)))
        case 2 | 3:
            return random.choice(SPELLINGS)(random.choice(SPELLINGS)(text))
        case 4:
            return str(UUID(int=known.int ^ (1 << random.randrange(128))))
        case 5:
            return random.choice(SPELLINGS)(random.choice(NUMBERS))
        case _:
            at = random.randrange(len(text))
            odd = "".join(random.choices(ODD_CHARS, k=random.randint(0, 3)))
            return text[:at] + odd + text[at + random.randint(0, 3) :]


def hostile_ids(known: list[UUID], count: int) -> list[str]:
    """Made by hypothesis, the same each time."""
    made: list[str] = []

    @settings(max_examples=count // _IDS_OF_AN_EXAMPLE, deadline=None, database=None, derandomize=True)
    @given(st.randoms(use_true_random=True, note_method_calls=False))
    def collect(random: Random) -> None:
        made.extend(disguised(random, random.choice(known)) for _ in range(_IDS_OF_AN_EXAMPLE))

    collect()
    return made


async def test_ten_thousand_hostile_ids_find_no_foreign_row(tenants: Tenants) -> None:
    """All go through the one parser of ids; what is a UUID is looked for in every family of records."""
    workspace, looked_for = tenants.ours.house.actor.workspace_id, 0
    hostile = hostile_ids([each for _, each in sorted(tenants.theirs.ids.items())], HOSTILE_IDS)
    assert len(hostile) >= HOSTILE_IDS
    assert len(set(hostile)) > HOSTILE_IDS / 2
    with tenants.ours.house.record.reading() as tx:
        looks = (
            AgentRecords(tx).agent,
            AgentRecords(tx).versions,
            ConversationRecords(tx).conversation,
            VisitorRecords(tx).everything,
            VisitorRecords(tx).conversation_ids,
            GapRecords(tx).gap,
            SourceRecords(tx).find,
            DeletionRecords(tx).deletion,
        )
        for raw in hostile:
            try:
                parsed = Call(cast(Any, SimpleNamespace(path_params={"agent_id": raw})), None, None).path_id("agent_id")
            except NotFound:
                continue
            assert UUID_FORM.fullmatch(raw)
            look = looks[looked_for % len(looks)]
            looked_for += 1
            with pytest.raises(NotFound):
                look(workspace, parsed)
    assert looked_for > HOSTILE_IDS / 10
