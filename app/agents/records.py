"""Agents, their published versions and milestones, and their user secret or their visitors' identity provider."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Float,
    Integer,
    LargeBinary,
    Row,
    String,
    UniqueConstraint,
    and_,
    bindparam,
    or_,
    select,
    text,
    update,
)

from app.agents.agent import Agent, AgentConfig, AgentVersion, LiveAgent, Version
from app.agents.model_endpoint import ModelEndpoint
from app.agents.set_up import Milestones
from app.agents.signed_user import UserIssuer, UserKey
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.store.schema import Audited, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.tables.agents import AGENT_VERSIONS, AGENTS, IS_LIVE_VERSION, WORKSPACES
from app.store.transaction import (
    Keyset,
    Repository,
    batches,
    config_from_json,
    config_to_json,
    new_id,
    row_of,
    value_of,
)

# The agent's milestones. `seen_on` is the website, as its origin, on which a browser last opened the widget.
AGENT_FIRSTS = table(
    "agent_firsts",
    parent("agent_id", "agents", primary_key=True),
    column("tried_at", UtcDateTime, nullable=True),
    column("seen_at", UtcDateTime, nullable=True),
    column("seen_on", StorableText, default="", server_default=text("''")),
)

# The secret with which a website signs its visitors' identity is derived from a signing key and `salt`.
USER_KEYS = table(
    "user_keys",
    Audited("agent", key="agent_id"),
    parent("agent_id", "agents", primary_key=True),
    column("kid", String(32)),
    column("salt", LargeBinary),
    column("created_at", UtcDateTime),
)

# The identity provider of an agent's visitors: `jwks_url` is where it publishes its keys.
USER_ISSUERS = table(
    "user_issuers",
    Audited("agent", key="agent_id"),
    parent("agent_id", "agents", primary_key=True),
    column("issuer", StorableText),
    column("audience", StorableText),
    column("jwks_url", StorableText),
    column("created_at", UtcDateTime),
)

# A workspace's own chat model. `sealed` is the key for its endpoint ("" for none), sealed with the key `sealed_by`.
MODEL_ENDPOINTS = table(
    "model_endpoints",
    Audited("model_endpoint", lambda row: str(row.name)),
    own_id(),
    parent("workspace_id", "workspaces"),
    column("created_at", UtcDateTime),
    column("name", StorableText),
    column("url", StorableText),
    column("model", StorableText),
    column("temperature", Float, nullable=True),
    column("reasoning_effort", String(16), nullable=True),
    column("reasoning_tokens", Integer, nullable=True),
    column("prompt", String(16)),
    column("price_prompt", Float),
    column("price_cached", Float),
    column("price_answer", Float),
    column("revision", Integer),
    *sealed_columns(),
    UniqueConstraint("workspace_id", "name"),
)

_OLDEST_FIRST = Keyset(AGENTS.c.created_at, AGENTS.c.id)
# Built once, because each question or page executes them.
_LIVE = (
    select(AGENTS.c.workspace_id, AGENTS.c.generation, AGENTS.c.paused_at, AGENT_VERSIONS.c.id, AGENT_VERSIONS.c.number)
    .join(AGENT_VERSIONS, IS_LIVE_VERSION)
    .where(AGENTS.c.id == bindparam("agent_id"))
)
_GENERATION = select(AGENTS.c.generation).where(AGENTS.c.id == bindparam("agent_id"))
_BUMP = (
    update(AGENTS)
    .where(AGENTS.c.id == bindparam("agent_id"))
    .values(generation=AGENTS.c.generation + 1)
    .returning(AGENTS.c.generation)
)
_CONFIG = select(AGENT_VERSIONS.c.config).where(AGENT_VERSIONS.c.id == bindparam("version_id"))
SEEN_AGAIN_AFTER: Final = timedelta(hours=1)  # limits how often opening the widget writes


class AgentRecords(Repository):
    """Every method that takes a workspace raises NotFound both for an agent that does not exist and for another
    workspace's.
    """

    def create(self, workspace_id: UUID, config: AgentConfig) -> Agent:
        if not self._exists(WORKSPACES, workspace_id):
            raise NotFound("workspace")
        agent_id, now = new_id(), self._now()
        self._add(
            AGENTS,
            id=agent_id,
            workspace_id=workspace_id,
            draft=config_to_json(config),
            generation=0,
            created_at=now,
            updated_at=now,
        )
        return self.agent(workspace_id, agent_id)

    def agent(self, workspace_id: UUID, agent_id: UUID) -> Agent:
        return value_of(Agent, self._row(workspace_id, agent_id))

    def page(self, workspace_id: UUID, page: PageRequest) -> ListPage[Agent]:
        """Oldest first."""
        statement = select(AGENTS).where(AGENTS.c.workspace_id == workspace_id)
        return self._page(_OLDEST_FIRST, Agent, statement, page)

    def save_draft(self, workspace_id: UUID, agent_id: UUID, config: AgentConfig) -> Agent:
        self._update_one(
            AGENTS, "agent", _is(workspace_id, agent_id), draft=config_to_json(config), updated_at=self._now()
        )
        return self.agent(workspace_id, agent_id)

    def publish(self, workspace_id: UUID, agent_id: UUID, by: str = "", note: str = "") -> AgentVersion:
        """Store the draft as the next version and make it live. A draft that equals the live version publishes nothing
        and returns that version."""
        agent = self._row(workspace_id, agent_id, lock=True)
        versions = self._versions(agent_id)
        draft = config_from_json(AgentConfig, agent.draft)
        for version in versions:
            if version.number == agent.live_version and version.config == draft:
                return version
        published = AgentVersion(
            agent_id=agent_id,
            number=versions[0].number + 1 if versions else 1,
            config=draft,
            published_at=self._now(),
            published_by=by,
            note=note,
        )
        self._add(AGENT_VERSIONS, published, id=new_id())
        self._update(AGENTS, AGENTS.c.id == agent_id, live_version=published.number, updated_at=published.published_at)
        return published

    def pause(self, workspace_id: UUID, agent_id: UUID, is_paused: bool) -> Agent:
        paused_at = self._now() if is_paused else None
        self._update_one(AGENTS, "agent", _is(workspace_id, agent_id), paused_at=paused_at)
        return self.agent(workspace_id, agent_id)

    def versions(self, workspace_id: UUID, agent_id: UUID) -> list[AgentVersion]:
        self._row(workspace_id, agent_id)
        return self._versions(agent_id)

    def published_since(self, workspace_id: UUID, since: datetime, limit: int) -> list[AgentVersion]:
        """Versions of all agents of the workspace, newest first."""
        statement = (
            select(AGENT_VERSIONS)
            .join(AGENTS, AGENTS.c.id == AGENT_VERSIONS.c.agent_id)
            .where(AGENTS.c.workspace_id == workspace_id, AGENT_VERSIONS.c.published_at >= since)
            .order_by(AGENT_VERSIONS.c.published_at.desc(), AGENT_VERSIONS.c.id.desc())
            .limit(limit)
        )
        return self._values(AgentVersion, statement)

    def delete(self, workspace_id: UUID, agent_id: UUID) -> None:
        """Remove the agent and everything that belongs to it."""
        self._delete_one(AGENTS, "agent", _is(workspace_id, agent_id))

    def live(self, agent_id: UUID) -> LiveAgent:
        """The published agent. Raises NotFound for an agent that does not exist or was never published."""
        found = self._first_row(_LIVE, "agent", {"agent_id": agent_id})
        workspace_id, generation, paused_at, version_id, number = tuple(found)
        return LiveAgent(
            id=agent_id,
            workspace_id=workspace_id,
            version=number,
            generation=generation,
            config=self._published_config(version_id),
            is_paused=paused_at is not None,
        )

    def live_config(self, agent_id: UUID) -> AgentConfig:
        """The published configuration; the defaults for an agent without one."""
        try:
            return self.live(agent_id).config
        except NotFound:
            return AgentConfig(name="")

    def by_version(self, workspace_id: UUID, agent_id: UUID, version: Version) -> LiveAgent:
        """The agent with its published configuration or its draft. Raises NotFound for an agent that does not exist,
        belongs to another workspace, or is not published if the live version is requested."""
        known = self.agent(workspace_id, agent_id)
        if version == "live":
            return self.live(agent_id)
        return LiveAgent(known.id, workspace_id, 0, known.generation, known.draft)

    def published(self, workspace_id: UUID) -> list[tuple[LiveAgent, datetime]]:
        """A workspace's published agents, with their creation times, oldest first."""
        statement = (
            select(AGENTS, AGENT_VERSIONS.c.number, AGENT_VERSIONS.c.config)
            .join(AGENT_VERSIONS, IS_LIVE_VERSION)
            .where(AGENTS.c.workspace_id == workspace_id)
            .order_by(AGENTS.c.created_at, AGENTS.c.id)
        )
        return [
            (
                LiveAgent(
                    row.id,
                    row.workspace_id,
                    row.number,
                    row.generation,
                    config_from_json(AgentConfig, row.config),
                    row.paused_at is not None,
                ),
                row.created_at,
            )
            for row in self._connection.execute(statement)
        ]

    def exists(self, agent_id: UUID) -> bool:
        return self._connection.scalar(select(AGENTS.c.id).where(AGENTS.c.id == agent_id)) is not None

    def workspace_of(self, agent_id: UUID) -> UUID:
        """Raises NotFound."""
        found: UUID | None = self._connection.scalar(select(AGENTS.c.workspace_id).where(AGENTS.c.id == agent_id))
        if found is None:
            raise NotFound("agent")
        return found

    def generation(self, agent_id: UUID) -> int | None:
        """The generation of the knowledge that the agent may answer from; None if it is gone."""
        found: int | None = self._connection.scalar(_GENERATION, {"agent_id": agent_id})
        return found

    def bump_generation(self, agent_id: UUID) -> int:
        """Increase the generation, because the agent's knowledge has changed; return the new one."""
        generation: int | None = self._connection.scalar(_BUMP, {"agent_id": agent_id})
        if generation is None:
            raise NotFound("agent")
        return generation

    def _published_config(self, version_id: UUID) -> AgentConfig:
        config = self._tx.known.configs.get(version_id)
        if config is None:
            stored = self._connection.execute(_CONFIG, {"version_id": version_id})
            config = config_from_json(AgentConfig, stored.scalar_one())
            self._tx.known.configs.keep(version_id, config)
        return config

    def _row(self, workspace_id: UUID, agent_id: UUID, *, lock: bool = False) -> Row[Any]:
        statement = select(AGENTS).where(_is(workspace_id, agent_id))
        return self._first_row(statement.with_for_update() if lock else statement, "agent")

    def _versions(self, agent_id: UUID) -> list[AgentVersion]:
        statement = (
            select(AGENT_VERSIONS).where(AGENT_VERSIONS.c.agent_id == agent_id).order_by(AGENT_VERSIONS.c.number.desc())
        )
        return self._values(AgentVersion, statement)


def _is(workspace_id: UUID, agent_id: UUID) -> ColumnElement[bool]:
    return and_(AGENTS.c.id == agent_id, AGENTS.c.workspace_id == workspace_id)


class MilestoneRecords(Repository):
    """The caller has checked the workspace of the agents."""

    def of_agents(self, agent_ids: Sequence[UUID]) -> dict[UUID, Milestones]:
        """For agents with any milestone."""
        found: dict[UUID, Milestones] = {}
        for batch in batches(agent_ids):
            rows = self._connection.execute(select(AGENT_FIRSTS).where(AGENT_FIRSTS.c.agent_id.in_(batch)))
            found |= {row.agent_id: Milestones(row.tried_at, row.seen_at, row.seen_on) for row in rows}
        return found

    def tried(self, agent_id: UUID) -> None:
        """Store that an operator has asked the agent a question; only the first time counts."""
        if self._milestones(agent_id).tried_at is None:
            self._put(AGENT_FIRSTS, {"agent_id": agent_id}, tried_at=self._now())

    def seen(self, agent_id: UUID, origin: str) -> None:
        """Store that a browser has opened the widget on the website `origin`."""
        milestones = self._milestones(agent_id)
        if milestones.seen_at is None or self._now() - milestones.seen_at >= SEEN_AGAIN_AFTER:
            self._put(AGENT_FIRSTS, {"agent_id": agent_id}, seen_at=self._now(), seen_on=origin)

    def _milestones(self, agent_id: UUID) -> Milestones:
        return self.of_agents([agent_id]).get(agent_id, Milestones())


class UserKeyRecords(Repository):
    def set(self, key: UserKey) -> None:
        """Replaces an earlier one."""
        self._put(USER_KEYS, {"agent_id": key.agent_id}, key)

    def key(self, agent_id: UUID) -> UserKey | None:
        return self._value(UserKey, select(USER_KEYS).where(USER_KEYS.c.agent_id == agent_id))

    def clear(self, agent_id: UUID) -> None:
        self._delete(USER_KEYS, USER_KEYS.c.agent_id == agent_id)


class UserIssuerRecords(Repository):
    def set(self, issuer: UserIssuer) -> None:
        """Replaces an earlier one."""
        self._put(USER_ISSUERS, {"agent_id": issuer.agent_id}, issuer)

    def issuer(self, agent_id: UUID) -> UserIssuer | None:
        return self._value(UserIssuer, select(USER_ISSUERS).where(USER_ISSUERS.c.agent_id == agent_id))

    def clear(self, agent_id: UUID) -> None:
        self._delete(USER_ISSUERS, USER_ISSUERS.c.agent_id == agent_id)


class ModelEndpointRecords(Repository):
    def of_workspace(self, workspace_id: UUID) -> list[ModelEndpoint]:
        statement = select(MODEL_ENDPOINTS).where(MODEL_ENDPOINTS.c.workspace_id == workspace_id)
        return self._values(ModelEndpoint, statement.order_by(MODEL_ENDPOINTS.c.name))

    def endpoint(self, workspace_id: UUID, endpoint_id: UUID) -> ModelEndpoint:
        """Raises NotFound."""
        return self._found(ModelEndpoint, select(MODEL_ENDPOINTS).where(_own(workspace_id, endpoint_id)), "chat model")

    def named(self, workspace_id: UUID, name: str) -> ModelEndpoint | None:
        is_it = (MODEL_ENDPOINTS.c.workspace_id == workspace_id) & (MODEL_ENDPOINTS.c.name == name)
        return self._value(ModelEndpoint, select(MODEL_ENDPOINTS).where(is_it))

    def key(self, workspace_id: UUID, endpoint_id: UUID) -> str:
        """Raises NotFound, SecretsLocked."""
        row = self._first_row(select(MODEL_ENDPOINTS).where(_own(workspace_id, endpoint_id)), "chat model")
        return SealedRows(self._tx, MODEL_ENDPOINTS).opened(row).decode()

    def users(self, endpoint: ModelEndpoint) -> list[str]:
        """The names of the agents that use the model in their published version or draft."""
        is_chosen = [
            each["chat_model"].as_string() == endpoint.name for each in (AGENTS.c.draft, AGENT_VERSIONS.c.config)
        ]
        statement = (
            select(AGENTS.c.draft)
            .outerjoin(AGENT_VERSIONS, IS_LIVE_VERSION)
            .where(AGENTS.c.workspace_id == endpoint.workspace_id, or_(*is_chosen))
        )
        return sorted(str(draft["name"]) for draft in self._connection.scalars(statement))

    def add(self, endpoint: ModelEndpoint, key: str) -> None:
        self._add(MODEL_ENDPOINTS, endpoint, **SealedRows(self._tx, MODEL_ENDPOINTS).sealed(endpoint.id, key.encode()))

    def save(self, endpoint: ModelEndpoint, key: str) -> None:
        sealed = SealedRows(self._tx, MODEL_ENDPOINTS).sealed(endpoint.id, key.encode())
        self._update(
            MODEL_ENDPOINTS, MODEL_ENDPOINTS.c.id == endpoint.id, **row_of(endpoint, MODEL_ENDPOINTS), **sealed
        )

    def remove(self, workspace_id: UUID, endpoint_id: UUID) -> None:
        """Raises NotFound."""
        self._delete_one(MODEL_ENDPOINTS, "chat model", _own(workspace_id, endpoint_id))


def _own(workspace_id: UUID, endpoint_id: UUID) -> ColumnElement[bool]:
    return and_(MODEL_ENDPOINTS.c.id == endpoint_id, MODEL_ENDPOINTS.c.workspace_id == workspace_id)
