"""Repositories with their sealed secrets, and the pull requests opened for gaps."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from sqlalchemy import Integer, Select, String, UniqueConstraint, select, update

from app.conversations.conversation import Role
from app.core.turn import GapState
from app.gaps.pull_requests.pull_request import PullRequest, PullRequestState, Repository
from app.leads.records import LeadRecords
from app.store.schema import Audited, StorableJson, StorableText, UtcDateTime, column, own_id, parent, table
from app.store.sealed_rows import SealedRows, sealed_columns
from app.store.tables.conversations import MESSAGES, TURNS
from app.store.tables.gaps import GAP_QUESTIONS, GAPS
from app.store.tables.knowledge import DOCUMENTS
from app.store.transaction import Repository as Records
from app.store.transaction import row_of

# The repository from which an agent's website is built. `sealed` has the token with write access and the secret that
# signs its webhook, as JSON.
REPOSITORIES = table(
    "repositories",
    Audited("repository"),
    own_id(),
    parent("agent_id", "agents", unique=True),
    column("owner", StorableText),
    column("name", StorableText),
    column("branch", StorableText),
    column("base_path", StorableText),
    column("root", StorableText),
    column("patterns", StorableJson),
    *sealed_columns(),
    column("created_at", UtcDateTime),
)

# A change of a page's file to close a gap. `number` is the host's.
PULL_REQUESTS = table(
    "pull_requests",
    own_id(),
    parent("agent_id", "agents"),
    parent("gap_id", "gaps", index=True),
    column("number", Integer),
    column("url", StorableText),
    column("path", StorableText),
    column("page_url", StorableText),
    column("state", String(10)),
    column("author", StorableText),
    column("created_at", UtcDateTime),
    UniqueConstraint("agent_id", "number"),
)


@dataclass(frozen=True, slots=True)
class RepositorySecrets:
    """The token with write access, and the secret that signs the webhook."""

    token: str = field(repr=False)
    hook: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody who asked a gap and left an address."""

    email: str
    question: str


class RepositoryRecords(Records):
    """Callers check the workspace first."""

    def find(self, agent_id: UUID) -> Repository | None:
        return self._value(Repository, _of(agent_id))

    def repository(self, agent_id: UUID) -> Repository:
        """Raises NotFound."""
        return self._found(Repository, _of(agent_id), "repository")

    def secrets(self, agent_id: UUID) -> RepositorySecrets:
        """Raises NotFound, SecretsLocked."""
        row = self._first_row(_of(agent_id), "repository")
        return RepositorySecrets(**json.loads(SealedRows(self._tx, REPOSITORIES).opened(row)))

    def put(self, repository: Repository, secrets: RepositorySecrets) -> None:
        """Store the agent's repository; a stored one is replaced and keeps its id."""
        plain = json.dumps({"token": secrets.token, "hook": secrets.hook}).encode()
        values = row_of(repository, REPOSITORIES) | SealedRows(self._tx, REPOSITORIES).sealed(repository.id, plain)
        put = self._insert(REPOSITORIES).values(**values, created_at=self._now())
        self._connection.execute(put.on_conflict_do_update(index_elements=["id"], set_=values))

    def remove(self, agent_id: UUID) -> None:
        """Raises NotFound."""
        self._delete_one(REPOSITORIES, "repository", REPOSITORIES.c.agent_id == agent_id)

    def source_of(self, agent_id: UUID, url: str) -> UUID | None:
        """The source from which the agent learnt the page."""
        statement = select(DOCUMENTS.c.source_id).where(DOCUMENTS.c.agent_id == agent_id, DOCUMENTS.c.url == url)
        found: UUID | None = self._connection.scalar(statement.order_by(DOCUMENTS.c.created_at).limit(1))
        return found


def _of(agent_id: UUID) -> Select[Any]:
    return select(REPOSITORIES).where(REPOSITORIES.c.agent_id == agent_id)


class PullRequestRecords(Records):
    def add(self, opened: PullRequest) -> None:
        self._add(PULL_REQUESTS, opened)

    def of_gap(self, gap_id: UUID) -> list[PullRequest]:
        statement = select(PULL_REQUESTS).where(PULL_REQUESTS.c.gap_id == gap_id)
        return self._values(PullRequest, statement.order_by(PULL_REQUESTS.c.created_at.desc(), PULL_REQUESTS.c.id))

    def end(self, agent_id: UUID, number: int, state: PullRequestState) -> bool:
        """Mark it as merged or closed; False for a pull request that is not ours."""
        own = PULL_REQUESTS.c.agent_id == agent_id, PULL_REQUESTS.c.number == number
        ended = update(PULL_REQUESTS).where(*own).values(state=state.value).returning(PULL_REQUESTS.c.id)
        return self._connection.execute(ended).one_or_none() is not None

    def merged_pages(self, agent_id: UUID) -> list[str]:
        """The distinct pages of merged pull requests whose gaps are still open."""
        statement = (
            select(PULL_REQUESTS.c.page_url)
            .join(GAPS, GAPS.c.id == PULL_REQUESTS.c.gap_id)
            .where(
                PULL_REQUESTS.c.agent_id == agent_id,
                PULL_REQUESTS.c.state == PullRequestState.MERGED.value,
                GAPS.c.state == GapState.OPEN.value,
            )
            .distinct()
        )
        return sorted(self._connection.scalars(statement))

    def merged_page(self, gap_id: UUID) -> str | None:
        """The page of the latest merged pull request for the gap."""
        statement = select(PULL_REQUESTS.c.page_url).where(
            PULL_REQUESTS.c.gap_id == gap_id, PULL_REQUESTS.c.state == PullRequestState.MERGED.value
        )
        found: str | None = self._connection.scalar(statement.order_by(PULL_REQUESTS.c.created_at.desc()).limit(1))
        return found

    def waiting(self, gap_id: UUID) -> Sequence[Waiting]:
        """Who asked the gap and left an address: each address once, with the latest question of its visitor."""
        statement = (
            select(TURNS.c.conversation_id, MESSAGES.c.text)
            .join(GAP_QUESTIONS, GAP_QUESTIONS.c.turn_id == TURNS.c.id)
            .join(MESSAGES, (MESSAGES.c.turn_id == TURNS.c.id) & (MESSAGES.c.role == Role.VISITOR.value))
            .where(GAP_QUESTIONS.c.gap_id == gap_id)
            .order_by(GAP_QUESTIONS.c.asked_at)
        )
        rows = self._connection.execute(statement).all()
        emails = LeadRecords(self._tx).addresses(dict.fromkeys(row.conversation_id for row in rows))
        latest = {email: row.text for row in rows for email in emails.get(row.conversation_id, ())}
        return [Waiting(email, question) for email, question in latest.items()]
