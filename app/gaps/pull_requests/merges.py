"""Handles GitHub's signed webhook: after a merge or a deployment the changed pages are read again."""

import hashlib
import hmac
import json
from typing import Any, Final
from uuid import UUID

import structlog

from app.agents.records.agents import AgentRecords
from app.core.actor import WRITE, Actor
from app.core.errors import DocentError, NotFound, Unauthorized
from app.gaps.pull_requests.pull_request import PullRequestState
from app.gaps.pull_requests.records import PullRequestRecords, RepositoryRecords
from app.sources.runs.page_sync import PageSync
from app.store.system_of_record import SystemOfRecord, Transaction

log = structlog.get_logger(__name__)

_REFUSED: Final = "The signature does not match this agent's repository and this body."


class Merges:
    def __init__(self, records: SystemOfRecord, page_sync: PageSync) -> None:
        self._records = records
        self._page_sync = page_sync

    async def hear(self, agent_id: UUID, event: str, signature: str, body: bytes) -> int:
        """Handle one delivery of the repository's webhook; return how many pages are read again. `signature` is the
        header X-Hub-Signature-256. A merge of one of our pull requests, or a successful deployment, re-reads the pages
        of all merged pull requests whose gaps are open; the worker then replays those gaps. Raises Unauthorized: for a
        wrong signature, an unknown agent and an agent without a repository alike."""
        own = self._records.of_agent(agent_id)
        try:
            secrets = await own.read(lambda tx: RepositoryRecords(tx).secrets(agent_id))
        except NotFound as error:
            raise Unauthorized(_REFUSED) from error
        right = "sha256=" + hmac.digest(secrets.hook.encode(), body, hashlib.sha256).hex()
        if not hmac.compare_digest(right.encode(), signature.encode()):
            raise Unauthorized(_REFUSED)
        told = _told(body)
        repository = await own.read(lambda tx: RepositoryRecords(tx).get(agent_id))
        full_name = f"{repository.owner}/{repository.name}".casefold()
        if str(_at(told, "repository", "full_name")).casefold() != full_name:
            return 0
        if event == "pull_request" and told.get("action") == "closed":
            number = _at(told, "pull_request", "number")
            state = PullRequestState.MERGED if _at(told, "pull_request", "merged") is True else PullRequestState.CLOSED
            if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
                return 0
            is_ours = await own.write(lambda tx: PullRequestRecords(tx).end(agent_id, number, state))
            if not is_ours or state is PullRequestState.CLOSED:
                return 0
        elif event != "deployment_status" or _at(told, "deployment_status", "state") != "success":
            return 0
        return await self._read_again(agent_id)

    async def _read_again(self, agent_id: UUID) -> int:
        def work(tx: Transaction) -> tuple[UUID, list[tuple[UUID, str]]]:
            pages = PullRequestRecords(tx).merged_pages(agent_id)
            of_sources = [(RepositoryRecords(tx).source_of(agent_id, page), page) for page in pages]
            known = [(source, page) for source, page in of_sources if source is not None]
            return AgentRecords(tx).workspace_of(agent_id), known

        workspace_id, pages = await self._records.of_agent(agent_id).read(work)
        actor = Actor(workspace_id, f"repository of {agent_id}", frozenset((WRITE,)))
        asked = 0
        for source_id, page in pages:
            try:
                await self._page_sync.pages(actor, source_id, [page])
                asked += 1
            except DocentError as error:
                log.warning("merged_page.not_read", agent=str(agent_id), page=page, reason=str(error))
        return asked


def _told(body: bytes) -> dict[str, Any]:
    """Empty when the body is not a JSON object."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return told if isinstance(told, dict) else {}


def _at(told: dict[str, Any], name: str, field: str) -> Any:
    inner = told.get(name)
    return inner.get(field) if isinstance(inner, dict) else None
