"""From a gap to a pull request in the website's own repository."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from app.agents.records.agents import AgentRecords
from app.answers.playground import Playground, PlaygroundQuestion
from app.core.actor import Actor
from app.core.errors import InvalidInput
from app.core.field_rules import check_http_url, check_line, check_text
from app.gaps.gap import Gap
from app.gaps.gap_replay import GapAsking
from app.gaps.pull_requests.pull_request import (
    MAX_FILE_CHARS,
    MAX_TITLE_CHARS,
    ProvedQuestion,
    PullRequest,
    PullRequestState,
    added_text,
    proof_text,
)
from app.gaps.pull_requests.records import PullRequestRecords, RepositoryRecords, RepositorySecrets
from app.gaps.pull_requests.repository import Repository
from app.gaps.records.gaps import GapRecords
from app.gaps.records.replays import GapReplayRecords
from app.kit.clock import Clock
from app.providers.code.code_host import CodeHost, Proposal, RepositoryAccess, RepositoryFile
from app.store.system_of_record import SystemOfRecord, Transaction
from app.store.time_ordered_id import new_id
from app.workspaces.records.audit import AuditRecords

MAX_PROVED: Final = 3  # wordings


class PullRequests:
    """Every method raises NotFound for a gap that does not exist or belongs to another workspace, or whose agent has no
    repository, and what CodeHost raises."""

    def __init__(self, records: SystemOfRecord, host: CodeHost, playground: Playground, clock: Clock) -> None:
        self._records = records
        self._host = host
        self._playground = playground
        self._clock = clock

    async def of_gap(self, actor: Actor, gap_id: UUID) -> list[PullRequest]:
        """Latest first."""

        def work(tx: Transaction) -> list[PullRequest]:
            GapRecords(tx).get(actor.workspace_id, gap_id)
            return PullRequestRecords(tx).of_gap(gap_id)

        return await self._records.of_workspace(actor.workspace_id).read(work)

    async def file(self, actor: Actor, gap_id: UUID, page_url: str) -> RepositoryFile:
        """The source file of the page, as the branch has it. Raises InvalidInput when there is none."""
        _, repository, secrets, _ = await self._known(actor, gap_id)
        return await self._file(repository, secrets, page_url)

    async def open(
        self, actor: Actor, gap_id: UUID, page_url: str, text: str, version: str, title: str = ""
    ) -> PullRequest:
        """Propose this text as the whole file of the page, with the answers to the gap's questions as proof. `version`
        is that of the file the change is based on. Raises InvalidInput, also when the file has changed since."""
        check_text("text", text, MAX_FILE_CHARS, may_be_empty=False)
        check_line("title", title, MAX_TITLE_CHARS)
        gap, repository, secrets, askings = await self._known(actor, gap_id)
        file = await self._file(repository, secrets, page_url)
        if file.version != version:
            raise InvalidInput(
                "", "The file has changed in the repository meanwhile. Start again from its current text."
            )
        added = added_text(file.text, text)
        if not added:
            raise InvalidInput("text", "This adds nothing to the page.")
        proved = [ProvedQuestion(each, await self._after(actor, gap, each, page_url, added)) for each in askings]
        pull_request_id = new_id()
        proposal = Proposal(
            f"docent/gap-{pull_request_id}",
            file,
            text,
            title.strip() or f"Say more on {file.path}"[:MAX_TITLE_CHARS],
            proof_text(gap.count, added, proved),
        )
        opened = await self._host.propose(_access(repository, secrets), proposal)
        pull_request = PullRequest(
            pull_request_id,
            gap.agent_id,
            gap.id,
            opened.number,
            opened.url,
            file.path,
            page_url,
            PullRequestState.OPEN,
            actor.name,
            self._clock.now(),
        )

        def work(tx: Transaction) -> None:
            GapRecords(tx).get(actor.workspace_id, gap_id)
            PullRequestRecords(tx).add(pull_request)
            AuditRecords(tx).acted(actor, "gap.open_pull_request", gap_id, number=opened.number, path=file.path)

        await self._records.of_workspace(actor.workspace_id).write(work)
        return pull_request

    async def _known(
        self, actor: Actor, gap_id: UUID
    ) -> tuple[Gap, Repository, RepositorySecrets, Sequence[GapAsking]]:
        def work(tx: Transaction) -> tuple[Gap, Repository, RepositorySecrets, Sequence[GapAsking]]:
            gap = GapRecords(tx).get(actor.workspace_id, gap_id)
            AgentRecords(tx).get(actor.workspace_id, gap.agent_id)
            repository = RepositoryRecords(tx).get(gap.agent_id)
            askings = GapReplayRecords(tx).askings(gap_id, MAX_PROVED)
            return gap, repository, RepositoryRecords(tx).secrets(gap.agent_id), askings

        return await self._records.of_workspace(actor.workspace_id).read(work)

    async def _file(self, repository: Repository, secrets: RepositorySecrets, page_url: str) -> RepositoryFile:
        check_http_url("page_url", page_url)
        paths = repository.files_of(page_url)
        file = await self._host.first_file(_access(repository, secrets), paths) if paths else None
        if file is None:
            looked_for = ", ".join(paths) or "none by the repository's patterns"
            raise InvalidInput("page_url", f"The repository has no file for this page. Looked for: {looked_for}."[:500])
        return file

    async def _after(self, actor: Actor, gap: Gap, asking: GapAsking, page_url: str, added: str) -> str:
        """The answer of the agent's draft to a visitor on the changed page."""
        question = PlaygroundQuestion(
            asking.question, page_url, asking.language, page_context=added, standalone=asking.standalone
        )
        return (await self._playground.ask(actor.workspace_id, gap.agent_id, question, "draft")).answer


def _access(repository: Repository, secrets: RepositorySecrets) -> RepositoryAccess:
    return RepositoryAccess(repository.owner, repository.name, repository.branch, secrets.token)
