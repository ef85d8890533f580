"""An agent's llms.txt (https://llmstxt.org), all its pages in one file, and each as Markdown: for programs."""

import re
from collections.abc import AsyncIterator, Callable
from typing import Final, TypeVar
from urllib.parse import quote
from uuid import UUID

from starlette.responses import Response, StreamingResponse

from app.agents.agent import LiveAgent
from app.channels.program_questions import ProgramCaller, ProgramQuestions, program
from app.core.errors import NotFound
from app.core.list_page import ListPage, PageRequest
from app.core.text.untrusted_text import without_controls
from app.knowledge.passages import read_versions_passing
from app.knowledge.records.page_markdown import PageMarkdownRecords, WebPage, WebPageText
from app.store.system_of_record import SystemOfRecord
from app.web.endpoint import Api, Call, get
from app.web.middleware.public_url import base_url_of

MARKDOWN: Final = "text/markdown"
PLAIN: Final = "text/plain"
_LISTED_AT_ONCE: Final = 200
_READ_AT_ONCE: Final = 20  # whole pages
_SIGNS: Final = re.compile(r"[\\\[\]*_`<>#|]")
_FIRST_HEADING: Final = re.compile(r"\s*#[ \t]+(.+)\n?")
_URL_SIGNS: Final = "!#$%&'()*+,/:;=?@[]~"

Listed = TypeVar("Listed", WebPage, WebPageText)


class LlmsApi(Api):
    tag = "llms.txt"
    _records: SystemOfRecord
    _questions: ProgramQuestions

    @get(
        "/llms/{agent_id}/llms.txt",
        "The pages that an agent has learnt, as llms.txt; no token needed if the agent is open to programs",
        access=program,
        response_media_type=PLAIN,
    )
    async def get_llms_txt(self, call: Call[ProgramCaller, None]) -> Response:
        agent = call.caller.agent
        address = f"{base_url_of(call.request)}/llms/{agent.id}"
        await self._questions.count(agent)

        async def lines() -> AsyncIterator[str]:
            yield _head(agent.config.name, address)
            async for page in self._all(agent, PageMarkdownRecords.page, _LISTED_AT_ONCE):
                yield _entry(page, address)

        return _streamed(lines())

    @get(
        "/llms/{agent_id}/llms-full.txt",
        "The Markdown of all pages that an agent has learnt, in one file",
        access=program,
        response_media_type=PLAIN,
    )
    async def get_llms_full_txt(self, call: Call[ProgramCaller, None]) -> Response:
        await self._questions.count(call.caller.agent)

        async def pages() -> AsyncIterator[str]:
            async for text in self._all(call.caller.agent, PageMarkdownRecords.texts, _READ_AT_ONCE):
                yield f"{_whole(text)}\n"

        return _streamed(pages())

    @get(
        "/llms/{agent_id}/pages/{document_id}.md",
        "One page that an agent has learnt, as Markdown",
        access=program,
        response_media_type=MARKDOWN,
    )
    async def get_page_markdown(self, call: Call[ProgramCaller, None]) -> Response:
        agent = call.caller.agent
        await self._questions.count(agent)
        document_id = call.path_id("document_id")
        among = await read_versions_passing(self._records, agent.id, [agent.config.retrieval.filter], document_id)
        page = await self._records.of_workspace(agent.workspace_id).read(
            lambda tx: PageMarkdownRecords(tx).text(agent.id, document_id)
        )
        if among is not None and page.version_id not in among:
            raise NotFound("document")
        headers = {"Cache-Control": "no-store", "Link": f'<{quote(page.url, safe=_URL_SIGNS)}>; rel="canonical"'}
        return Response(_whole(page), headers=headers, media_type=MARKDOWN)

    async def _all(
        self,
        agent: LiveAgent,
        read: Callable[[PageMarkdownRecords, UUID, PageRequest], ListPage[Listed]],
        at_once: int,
    ) -> AsyncIterator[Listed]:
        """All pages of the agent, read in batches of `at_once`, because there may be very many."""
        among = await read_versions_passing(self._records, agent.id, [agent.config.retrieval.filter])
        cursor: str | None = None
        while True:
            listed = await self._records.of_workspace(agent.workspace_id).read(
                lambda tx: read(PageMarkdownRecords(tx), agent.id, PageRequest(at_once, cursor))
            )
            for each in listed.items:
                if among is None or each.version_id in among:
                    yield each
            cursor = listed.next_cursor
            if cursor is None:
                return


def _streamed(parts: AsyncIterator[str]) -> Response:
    return StreamingResponse(parts, headers={"Cache-Control": "no-store"}, media_type=PLAIN)


def _head(name: str, address: str) -> str:
    """The beginning of llms.txt. `address` is that of the agent's files, without a slash at the end."""
    return (
        f"# {_line(name)}\n\n"
        "> The pages of a website as its assistant has learnt them. Each link leads to a page as Markdown; the address "
        "that people open follows it.\n\n"
        f"All of them in one file: {address}/llms-full.txt\n\n"
        "## Pages\n\n"
    )


def _entry(page: WebPage, address: str) -> str:
    """The line of one page in llms.txt."""
    return f"- [{_line(page.title) or page.url}]({address}/pages/{page.document_id}.md): {page.url}\n"


def _whole(page: WebPageText) -> str:
    """The page with its title, its address and the day that it was read."""
    markdown = page.markdown.strip()
    heading = _FIRST_HEADING.match(markdown)
    title, body = (heading[1].strip(), markdown[heading.end() :]) if heading else (_line(page.title), markdown)
    return f"# {title}\n\nSource: {page.url} (read on {page.as_of.isoformat()})\n\n{body.strip()}\n"


def _line(text: str) -> str:
    """The text on one line, without Markdown syntax."""
    return _SIGNS.sub(r"\\\g<0>", " ".join(without_controls(text).split()))
