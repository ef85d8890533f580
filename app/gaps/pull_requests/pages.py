"""The console's pages for the repository of an agent's website, and a gap's change of a page in it."""

from uuid import uuid4

from app.gaps.gaps import Gaps
from app.gaps.pages.gap import GapShow
from app.gaps.pull_requests.api import PageFileIn, PullRequestIn, RepositoryIn
from app.gaps.pull_requests.pull_request import DEFAULT_PATTERNS, MAX_FILE_CHARS, Repository
from app.gaps.pull_requests.pull_requests import PullRequests, Repositories
from app.web.console.page import Form, Go, Link, NoForm, Pages, Rejected, Shown, Visit, action, page, read, write


class RepositoryForm(RepositoryIn, Form): ...


class PageFileForm(PageFileIn, Form): ...


class ChangeForm(PullRequestIn, Form):
    version: str = ""  # hidden: without it, the file counts as changed meanwhile


class PullRequestPages(Pages):
    _repositories: Repositories
    _pull_requests: PullRequests
    _gaps: Gaps
    _show: GapShow

    @page(
        "/console/agents/{agent_id}/repository",
        access=read,
        under="gaps",
        link=Link("gaps", "Repository", 1, "source"),
    )
    async def repository(self, visit: Visit[NoForm]) -> Shown:
        return await self._repository(visit)

    @action("/console/agents/{agent_id}/repository", access=write, shown_on="repository")
    async def set_repository(self, visit: Visit[RepositoryForm]) -> Shown | Go:
        """The secret is shown at once: it must not be sent over a redirect."""
        repository = visit.input.made(Repository, id=uuid4(), agent_id=visit.agent.id)
        made = await self._repositories.put(visit.actor, repository, visit.input.token)
        if made.hook_secret is None:
            return Go(visit.url("repository"), "Saved.")
        return await self._repository(visit, made.hook_secret)

    @action("/console/agents/{agent_id}/repository/remove", access=write, shown_on="repository")
    async def remove_repository(self, visit: Visit[NoForm]) -> Go:
        await self._repositories.remove(visit.actor, visit.agent.id)
        return Go(visit.url("repository"), "Repository disconnected and its token deleted.")

    @page(
        "/console/agents/{agent_id}/gaps/{gap_id}/pull-requests",
        access=read,
        under="gaps",
        link=Link("gap", "Open a pull request", icon="out"),
    )
    async def pull_requests(self, visit: Visit[NoForm]) -> Shown:
        return await self._of_gap(visit)

    @action("/console/agents/{agent_id}/gaps/{gap_id}/page-file", access=write, shown_on="pull_requests")
    async def read_page_file(self, visit: Visit[PageFileForm]) -> Shown:
        """Proposes nothing yet: shows the file for editing."""
        gap = await self._show.own(visit)
        file = await self._pull_requests.file(visit.actor, gap.id, visit.input.page_url)
        typed = {"page_url": (visit.input.page_url,), "text": (file.text,), "version": (file.version,)}
        return await self._of_gap(visit, file.path, Rejected("open_pull_request", typed, {}))

    @action(
        "/console/agents/{agent_id}/gaps/{gap_id}/pull-requests",
        access=write,
        shown_on="pull_requests",
        max_body_bytes=4 * MAX_FILE_CHARS,
    )
    async def open_pull_request(self, visit: Visit[ChangeForm]) -> Go:
        gap, given = await self._show.own(visit), visit.input
        text = given.text.replace("\r\n", "\n")  # browsers send these line ends
        opened = await self._pull_requests.open(visit.actor, gap.id, given.page_url, text, given.version, given.title)
        return Go(visit.url("pull_requests", gap_id=gap.id), f"Pull request {opened.number} opened.")

    async def _repository(self, visit: Visit[Form], secret: str | None = None) -> Shown:
        found = await self._repositories.find(visit.actor, visit.agent.id)
        hook = f"{visit.root_path}/v1/hooks/github/{visit.agent.id}"
        context = {"repository": found, "secret": secret, "hook_path": hook, "patterns": DEFAULT_PATTERNS}
        return Shown("gaps/pull_requests/repository.html", context)

    async def _of_gap(self, visit: Visit[Form], path: str = "", form: Rejected | None = None) -> Shown:
        gap = await self._show.own(visit)
        context = {
            "gap": gap,
            "opened": await self._pull_requests.of_gap(visit.actor, gap.id),
            "repository": await self._repositories.find(visit.actor, visit.agent.id),
            "path": path,
        }
        return Shown("gaps/pull_requests/pull_requests.html", context, form=form)
