"""Use cases of the repository of an agent's website."""

import secrets
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID

from app.agents.own_agent import OwnAgent
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_line
from app.gaps.pull_requests.records import RepositoryRecords, RepositorySecrets
from app.gaps.pull_requests.repository import Repository, check_repository
from app.store.system_of_record import SystemOfRecord, Transaction
from app.workspaces.records.audit import AuditRecords

MAX_TOKEN_CHARS: Final = 500
HOOK_PREFIX: Final = "dgh_"


@dataclass(frozen=True, slots=True)
class SetRepository:
    """`hook_secret` is shown once, when it is made; None when the stored one is kept."""

    repository: Repository
    hook_secret: str | None = field(default=None, repr=False)


class Repositories:
    """Every method raises NotFound for an agent that does not exist or belongs to another workspace."""

    def __init__(self, records: SystemOfRecord) -> None:
        self._records = records

    async def find(self, actor: Actor, agent_id: UUID) -> Repository | None:
        return await OwnAgent(self._records, actor, agent_id).read(lambda tx: RepositoryRecords(tx).find(agent_id))

    async def put(self, actor: Actor, repository: Repository, token: str = "") -> SetRepository:
        """An empty token keeps the stored one. Raises InvalidInput."""
        check_repository(repository)
        check_line("token", token, MAX_TOKEN_CHARS)

        def work(tx: Transaction) -> SetRepository:
            known = RepositoryRecords(tx).find(repository.agent_id)
            if known is None:
                if not token:
                    raise InvalidInput("token", "Give a token that may write contents and pull requests there.")
                new, hook = repository, HOOK_PREFIX + secrets.token_urlsafe(32)
                RepositoryRecords(tx).put(new, RepositorySecrets(token, hook))
            else:
                kept = RepositoryRecords(tx).secrets(repository.agent_id)
                is_moved = (known.owner, known.name) != (repository.owner, repository.name)
                if is_moved and not token:
                    raise InvalidInput("token", "Enter the token again: the repository has changed.")
                new, hook = replace(repository, id=known.id), None
                RepositoryRecords(tx).put(new, RepositorySecrets(token or kept.token, kept.hook))
            AuditRecords(tx).acted(actor, "repository.set", new.id, agent_id=str(new.agent_id))
            return SetRepository(new, hook)

        return await OwnAgent(self._records, actor, repository.agent_id).write(work)

    async def remove(self, actor: Actor, agent_id: UUID) -> None:
        """With its token. Raises NotFound where there is none."""

        def work(tx: Transaction) -> None:
            known = RepositoryRecords(tx).get(agent_id)
            RepositoryRecords(tx).remove(agent_id)
            AuditRecords(tx).acted(actor, "repository.remove", known.id, agent_id=str(agent_id))

        await OwnAgent(self._records, actor, agent_id).write(work)
