"""A workspace adds chat models of its own, and its agents are answered by them."""

import gc
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.model_endpoint import MAX_ENDPOINTS, ModelEndpoint
from app.agents.model_endpoints import ChatModelNames, ModelEndpoints
from app.agents.records import AgentRecords, ModelEndpointRecords
from app.answers.playground import PlaygroundQuestion
from app.bootstrap.models import WorkspaceModels
from app.core.actor import MANAGE, READ, WRITE, Actor
from app.core.errors import InvalidInput, ModelUnavailable
from app.providers.chat.guarded_chat_client import guarded_client
from app.providers.chat.model_reply import readiness
from app.providers.chat.openai_chat_model import OpenAIChatModel
from app.store.system_of_record import SystemOfRecord
from crawler.address_policy import Endpoint
from tests.doubles.answering_house import answering_house
from tests.doubles.fake_openai import FakeOpenAI, Say
from tests.doubles.recording_job_queue import RecordingJobQueue
from tests.doubles.scripted_chat_model import ScriptedChatModel
from tests.doubles.scripted_probe import ScriptedProbe
from tests.doubles.settings_in import settings_in
from tests.doubles.temporary_record import temporary_record
from tests.doubles.visitors import new_agent
from tests.doubles.workspaces import another_workspace
from tests.turns.outcomes import stored, text

QUESTION = "How long is the warranty of a lamp?"
URL = "https://models.example.com/v1"
NAMES = ChatModelNames(("huge",))


def endpoint(workspace_id: UUID, url: str = URL, name: str = "large") -> ModelEndpoint:
    return ModelEndpoint(uuid4(), workspace_id, datetime(2026, 1, 1, tzinfo=UTC), name, url, "large-1", price_answer=10)


@dataclass
class Desk:
    """Where an admin sets up the models of a workspace."""

    record: SystemOfRecord
    actor: Actor
    agent: UUID
    probe: ScriptedProbe

    @property
    def models(self) -> ModelEndpoints:
        return ModelEndpoints(self.record, self.probe, NAMES)

    @property
    def agents(self) -> Agents:
        return Agents(self.record, RecordingJobQueue(), NAMES)

    async def added(self, name: str = "large") -> ModelEndpoint:
        return await self.models.create(self.actor, endpoint(self.actor.workspace_id, name=name), "sk-secret")

    def key(self, of: ModelEndpoint) -> str:
        with self.record.reading() as tx:
            return ModelEndpointRecords(tx).key(of.workspace_id, of.id)


@pytest.fixture
async def desk(tmp_path: Path) -> AsyncIterator[Desk]:
    async with temporary_record(tmp_path) as record:
        agent = new_agent(record)
        actor = Actor(agent.workspace_id, "ann", frozenset((READ, WRITE, MANAGE)))
        yield Desk(record, actor, agent.id, ScriptedProbe())


async def test_its_key_is_sealed_and_used_for_the_test(desk: Desk, tmp_path: Path) -> None:
    made = await desk.added()
    assert await desk.models.of_workspace(desk.actor) == [made]
    with closing(sqlite3.connect(tmp_path / "docent.sqlite")) as connection:
        assert "sk-secret" not in str(connection.execute("select * from model_endpoints").fetchall())
    assert await desk.models.test(desk.actor, made.id) == 'answered "ready"'
    assert desk.probe.asked == [(made, "sk-secret")]
    desk.probe.is_down = True
    with pytest.raises(ModelUnavailable, match="refuses the key"):
        await desk.models.test(desk.actor, made.id)


@pytest.mark.parametrize(("url", "kept"), [("https://models.example.com/v2", "sk-secret"), ("https://e.example", "")])
async def test_another_host_does_not_get_the_stored_key(desk: Desk, url: str, kept: str) -> None:
    made = await desk.added()
    changed = await desk.models.change(desk.actor, made.id, lambda before: replace(before, url=url, name="other"))
    assert (changed.name, changed.revision, desk.key(made)) == ("large", 2, kept)
    await desk.models.change(desk.actor, made.id, lambda before: before, "sk-new")
    assert desk.key(made) == "sk-new"


@pytest.mark.parametrize("key", ["sk-\nsecret", "sk-geheimnisvöll", "sk\x00"])
async def test_a_key_that_no_header_holds_is_refused_by_its_field(desk: Desk, key: str) -> None:
    made = await desk.added()
    with pytest.raises(InvalidInput) as refused:
        await desk.models.change(desk.actor, made.id, lambda before: before, key)
    assert refused.value.field == "key"
    await desk.models.change(desk.actor, made.id, lambda before: before, " sk-pasted\n")
    assert desk.key(made) == "sk-pasted"


@pytest.mark.parametrize("name", ["large", "huge", "usual", "none"])
async def test_a_name_that_agents_could_mean_otherwise_is_refused(desk: Desk, name: str) -> None:
    await desk.added()
    with pytest.raises(InvalidInput, match="taken") as refused:
        await desk.added(name)
    assert refused.value.field == "name"


async def test_a_workspace_has_so_many_at_most(desk: Desk) -> None:
    for number in range(MAX_ENDPOINTS):
        await desk.added(f"model {number}")
    with pytest.raises(InvalidInput, match=f"at most {MAX_ENDPOINTS}"):
        await desk.added()


async def test_one_that_an_agent_uses_stays_and_the_agent_is_named(desk: Desk) -> None:
    made = await desk.added()
    await desk.agents.change_draft(desk.actor, desk.agent, lambda draft: replace(draft, chat_model="large"))
    await desk.agents.publish(desk.actor, desk.agent)
    await desk.agents.change_draft(desk.actor, desk.agent, lambda draft: replace(draft, chat_model=""))
    name = (await desk.agents.agent(desk.actor, desk.agent)).draft.name
    with pytest.raises(InvalidInput, match=f"Choose another chat model for {name} first"):
        await desk.models.delete(desk.actor, made.id)
    await desk.agents.publish(desk.actor, desk.agent)
    await desk.models.delete(desk.actor, made.id)
    assert await desk.models.of_workspace(desk.actor) == []
    with pytest.raises(InvalidInput, match="There is no such model"):
        await desk.agents.change_draft(desk.actor, desk.agent, lambda draft: replace(draft, chat_model="large"))


@pytest.mark.parametrize(
    "url", ["http://models.example.com/v1", "https://10.0.0.1/v1", "https://localhost/v1", "http://127.0.0.1:11434/v1"]
)
def test_an_address_of_the_servers_own_network_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        WorkspaceModels(settings_in(tmp_path)).canonical(url)
    assert refused.value.field == "url"


async def test_what_resolves_to_the_servers_own_network_is_not_dialled() -> None:
    with FakeOpenAI().running() as fake:
        model = OpenAIChatModel(base_url=fake.url, model="m", max_retries=0, client=guarded_client(()))
        with pytest.raises(ModelUnavailable):
            await readiness(model)
        await model.close()
        assert fake.asked == []


def place(fake: FakeOpenAI) -> Endpoint:
    return "127.0.0.1", urlsplit(fake.url).port or 0


async def test_its_agents_are_answered_by_it_and_a_change_applies_to_the_next_answer(tmp_path: Path) -> None:
    config = AgentConfig("Lamps", chat_model="large")
    with FakeOpenAI().running() as fake:
        fake.plays(Say(["3 years [1]."], usage=(100, 20)))
        usual = ScriptedChatModel(["Usual: 3 years [1]."])
        async with answering_house(tmp_path, model=usual, config=config, allowed=place(fake)) as house:
            assert text(await house.ask(QUESTION)).startswith("Usual"), "while there is none of that name"
            actor = Actor(house.workspace_id, "ann", frozenset((MANAGE,)))
            async with WorkspaceModels(house.base.settings) as models:
                setup = ModelEndpoints(house.record, models, NAMES)
                made = await setup.create(actor, endpoint(house.workspace_id, fake.url), "sk-secret")
                assert text(await house.ask(QUESTION)).startswith("3 years")
                usage = (await stored(house)).usage
                assert usage is not None
                assert usage.completion_tokens == 20
                assert usage.cost == pytest.approx(20 * 10 / 1_000_000)
                await setup.change(actor, made.id, lambda before: replace(before, model="large-2"), "sk-2")
                await house.ask(QUESTION)
                assert await setup.test(actor, made.id) == 'answered "3 years [1]."'
            told = [(asked.body["model"], asked.headers["authorization"]) for asked in fake.asked]
            assert told == [("large-1", "Bearer sk-secret"), *[("large-2", "Bearer sk-2")] * 2]


def chat_models() -> int:
    """How many are held in this process."""
    gc.collect()
    return sum(type(each) is OpenAIChatModel for each in gc.get_objects())


async def test_only_its_latest_revision_is_held(tmp_path: Path) -> None:
    before = chat_models()
    with FakeOpenAI().running() as fake:
        config = AgentConfig("Lamps", chat_model="large")
        async with answering_house(tmp_path, config=config, allowed=place(fake)) as house:
            actor = Actor(house.workspace_id, "ann", frozenset((MANAGE,)))
            async with WorkspaceModels(house.base.settings) as models:
                setup = ModelEndpoints(house.record, models, NAMES)
                made = await setup.create(actor, endpoint(house.workspace_id, fake.url), "sk-0")
                for number in range(1, 4):
                    await house.ask(QUESTION)
                    await setup.change(actor, made.id, lambda before: before, f"sk-{number}")
                await house.ask(QUESTION)
            assert [asked.headers["authorization"] for asked in fake.asked] == [f"Bearer sk-{n}" for n in range(4)]
            assert chat_models() - before == 1


async def test_another_workspace_is_not_answered_by_it(tmp_path: Path) -> None:
    with FakeOpenAI().running() as fake:
        usual = ScriptedChatModel(["Usual: 3 years [1]."])
        async with answering_house(tmp_path, model=usual, allowed=place(fake)) as house:
            another = await another_workspace(tmp_path)
            with house.record.writing() as tx:
                ModelEndpointRecords(tx).add(endpoint(another, fake.url), "sk-secret")
                draft = AgentRecords(tx).agent(house.workspace_id, house.agent_id).draft
                AgentRecords(tx).save_draft(house.workspace_id, house.agent_id, replace(draft, chat_model="large"))
            asked = PlaygroundQuestion(QUESTION)
            told = await house.answering.playground.ask(house.workspace_id, house.agent_id, asked, "draft")
            assert told.answer.startswith("Usual")
            assert fake.asked == []
