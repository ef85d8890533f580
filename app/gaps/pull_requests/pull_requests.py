"""Closes gaps by pull requests in the repository of the agent's website, and reads changed pages again after a
merge."""

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final
from uuid import UUID

import structlog

from app.agents.own_agent import OwnAgent, reads_agent, writes_agent
from app.agents.records import AgentRecords
from app.answers.playground import Playground, PlaygroundQuestion
from app.core.actor import WRITE, Actor
from app.core.errors import DocentError, InvalidInput, NotFound, Unauthorized
from app.core.field_rules import check_http_url
from app.core.text.untrusted_text import one_line
from app.core.turn import GapState
from app.gaps.gap import DueGap, Gap, GapAsking, TrialAnswer
from app.gaps.pull_requests.pull_request import (
    FILE,
    MAX_TITLE_CHARS,
    TITLE,
    TOKEN,
    ProvedQuestion,
    PullRequest,
    PullRequestState,
    Repository,
    added_text,
    check_repository,
    proof_text,
)
from app.gaps.pull_requests.records import PullRequestRecords, RepositoryRecords, RepositorySecrets
from app.gaps.records.gaps import GapRecords, GapReplayRecords
from app.kit.clock import Clock
from app.kit.markdown_text import markdown_text
from app.kit.wiring import Wired
from app.mail.mail import Mail, MailLink
from app.mail.mailer import Mailer
from app.providers.code.code_host import CodeHost, Proposal, RepositoryAccess, RepositoryFile
from app.sources.runs.run_control import PageSync
from app.store.schema import new_id
from app.store.system_of_record import SystemOfRecord, Transaction, reads
from app.web.request_body import json_object
from app.workspaces.audit_entry import changes_of, more_changes_of
from app.workspaces.records.audit import AuditRecords

HOOK_PREFIX: Final = "dgh_"

changes_of("repository", "Repository", "Repositories", {"set": "Repository set", "remove": "Repository removed"})
more_changes_of("gap", {"open_pull_request": "Pull request opened"})


@dataclass(frozen=True, slots=True)
class SetRepository:
    """`hook_secret` is shown once, when it is made; None when the stored one is kept."""

    repository: Repository
    hook_secret: str | None = field(default=None, repr=False)


class Repositories(Wired):
    """Every method raises NotFound for an agent that does not exist or belongs to another workspace."""

    _records: SystemOfRecord

    @reads_agent
    def find(self, tx: Transaction, actor: Actor, agent_id: UUID) -> Repository | None:
        return RepositoryRecords(tx).find(agent_id)

    async def put(self, actor: Actor, repository: Repository, token: str = "") -> SetRepository:
        """An empty token keeps the stored one. Raises InvalidInput."""
        check_repository(repository)
        TOKEN.check("token", token)

        def work(tx: Transaction) -> SetRepository:
            known = RepositoryRecords(tx).find(repository.agent_id)
            if known is None:
                if not token:
                    raise InvalidInput("token", "Enter a token that can write contents and pull requests there.")
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

    @writes_agent
    def remove(self, tx: Transaction, actor: Actor, agent_id: UUID) -> None:
        """Remove it with its token. Raises NotFound if there is none."""
        known = RepositoryRecords(tx).repository(agent_id)
        RepositoryRecords(tx).remove(agent_id)
        AuditRecords(tx).acted(actor, "repository.remove", known.id, agent_id=str(agent_id))


MAX_PROVED: Final = 3  # wordings


class PullRequests(Wired):
    """Every method raises NotFound for a gap that does not exist or belongs to another workspace, or whose agent has no
    repository; and the errors of CodeHost."""

    _records: SystemOfRecord
    _host: CodeHost
    _playground: Playground
    _clock: Clock

    @reads
    def of_gap(self, tx: Transaction, actor: Actor, gap_id: UUID) -> list[PullRequest]:
        """Latest first."""
        GapRecords(tx).gap(actor.workspace_id, gap_id)
        return PullRequestRecords(tx).of_gap(gap_id)

    async def file(self, actor: Actor, gap_id: UUID, page_url: str) -> RepositoryFile:
        """The page's source file on the branch. Raises InvalidInput if there is none."""
        _, repository, secrets, _ = await self._known(actor, gap_id)
        return await self._file(repository, secrets, page_url)

    async def open(
        self, actor: Actor, gap_id: UUID, page_url: str, text: str, version: str, title: str = ""
    ) -> PullRequest:
        """Open a pull request with `text` as the page's whole file and the new answers to the gap's questions as proof.
        `version` is that of the edited file. Raises InvalidInput, also if the file has changed since."""
        FILE.check("text", text)
        TITLE.check("title", title)
        gap, repository, secrets, askings = await self._known(actor, gap_id)
        file = await self._file(repository, secrets, page_url)
        if file.version != version:
            raise InvalidInput("", "The file has changed in the repository. Start again from its current text.")
        added = added_text(file.text, text)
        if not added:
            raise InvalidInput("text", "This changes nothing on the page. Add the missing text.")
        proved = [ProvedQuestion(each, await self._after(actor, gap, each, page_url, added)) for each in askings]
        pull_request_id = new_id()
        proposal = Proposal(
            f"docent/gap-{pull_request_id}",
            file,
            text,
            title.strip() or f"Add details to {file.path}"[:MAX_TITLE_CHARS],
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
            GapRecords(tx).gap(actor.workspace_id, gap_id)
            PullRequestRecords(tx).add(pull_request)
            AuditRecords(tx).acted(actor, "gap.open_pull_request", gap_id, number=opened.number, path=file.path)

        await self._records.of_workspace(actor.workspace_id).write(work)
        return pull_request

    @reads
    def _known(
        self, tx: Transaction, actor: Actor, gap_id: UUID
    ) -> tuple[Gap, Repository, RepositorySecrets, Sequence[GapAsking]]:
        gap = GapRecords(tx).gap(actor.workspace_id, gap_id)
        AgentRecords(tx).agent(actor.workspace_id, gap.agent_id)
        repository = RepositoryRecords(tx).repository(gap.agent_id)
        askings = GapReplayRecords(tx).askings(gap_id, MAX_PROVED)
        return gap, repository, RepositoryRecords(tx).secrets(gap.agent_id), askings

    async def _file(self, repository: Repository, secrets: RepositorySecrets, page_url: str) -> RepositoryFile:
        check_http_url("page_url", page_url)
        paths = repository.files_of(page_url)
        file = await self._host.first_file(_access(repository, secrets), paths) if paths else None
        if file is None:
            looked_for = ", ".join(paths) or "none by the repository's patterns"
            raise InvalidInput("page_url", f"The repository has no file for this page. Looked for: {looked_for}."[:500])
        return file

    async def _after(self, actor: Actor, gap: Gap, asking: GapAsking, page_url: str, added: str) -> str:
        """The answer of the agent's draft to a visitor on the changed page, with the added text as page context."""
        question = PlaygroundQuestion(
            asking.question, page_url, asking.language, page_context=added, standalone=asking.standalone
        )
        return (await self._playground.ask(actor.workspace_id, gap.agent_id, question, "draft")).answer


def _access(repository: Repository, secrets: RepositorySecrets) -> RepositoryAccess:
    return RepositoryAccess(repository.owner, repository.name, repository.branch, secrets.token)


log = structlog.get_logger(__name__)

_REFUSED: Final = "The signature does not match this agent's repository and this body."


class Merges(Wired):
    _records: SystemOfRecord
    _page_sync: PageSync

    async def receive(self, agent_id: UUID, event: str, signature: str, body: bytes) -> int:
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
        payload = json_object(body)
        repository = await own.read(lambda tx: RepositoryRecords(tx).repository(agent_id))
        full_name = f"{repository.owner}/{repository.name}".casefold()
        if str(_at(payload, "repository", "full_name")).casefold() != full_name:
            return 0
        if event == "pull_request" and payload.get("action") == "closed":
            number = _at(payload, "pull_request", "number")
            state = (
                PullRequestState.MERGED if _at(payload, "pull_request", "merged") is True else PullRequestState.CLOSED
            )
            if not isinstance(number, int) or isinstance(number, bool) or not 0 < number < 2**31:
                return 0
            is_ours = await own.write(lambda tx: PullRequestRecords(tx).end(agent_id, number, state))
            if not is_ours or state is PullRequestState.CLOSED:
                return 0
        elif event != "deployment_status" or _at(payload, "deployment_status", "state") != "success":
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
        count = 0
        for source_id, page in pages:
            try:
                await self._page_sync.pages(actor, source_id, [page])
                count += 1
            except DocentError as error:
                log.warning("merged_page.not_read", agent=str(agent_id), page=page, reason=str(error))
        return count


def _at(payload: dict[str, Any], name: str, field: str) -> Any:
    inner = payload.get(name)
    return inner.get(field) if isinstance(inner, dict) else None


class GoodNews(Wired):
    """Mails the new answer to people who asked the gap and left an address."""

    _mailer: Mailer

    def close(self, tx: Transaction, due: DueGap, answer: TrialAnswer) -> bool:
        """When all questions of a gap pass and a pull request for it was merged, close it as answered and mail everyone
        who asked it and left an address, once, in this transaction. False for a gap without a merged pull request."""
        page = PullRequestRecords(tx).merged_page(due.gap.id)
        if page is None:
            return False
        GapRecords(tx).set_state(due.workspace_id, due.gap.id, GapState.ANSWERED, due.gap.note)
        if self._mailer.is_on:
            self._tell(tx, due, page, answer.answer)
        return True

    def _tell(self, tx: Transaction, due: DueGap, page: str, answer: str) -> None:
        site = AgentRecords(tx).agent(due.workspace_id, due.gap.agent_id).draft.name
        text = markdown_text(answer, without=range(1, 100))  # the sources are not in the mail
        for one in PullRequestRecords(tx).waiting(due.gap.id):
            mail = Mail(
                to=one.email,
                subject=f"{site}: your question is answered",
                paragraphs=(f"> {one_line(one.question)}", text),
                link=MailLink("Read it on the page", page),
                footer="You get this mail once, because you asked this question and left your address.",
            )
            try:
                self._mailer.put(tx, due.workspace_id, mail)
            except InvalidInput:
                continue  # not a valid mail address
