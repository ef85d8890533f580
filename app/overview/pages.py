"""The console's first page, and the search on every page."""

from functools import cache
from pathlib import Path
from typing import Final

from pydantic import Field

from app.agents.pages.draft_changes import settings_with
from app.conversations.conversation import MAX_TEXT_CHARS, ConversationFilter, words_of
from app.conversations.inbox import ConversationReview
from app.core.actor import WRITE
from app.core.list_page import PageRequest
from app.gaps.gap import GapFilter, GapOrder
from app.gaps.gaps import Gaps
from app.overview.overview import Change, ChangeKind, Overviews
from app.sources.sources import Sources
from app.web.console.filters import day
from app.web.console.page import Form, MenuEntry, NoForm, Pages, Shown, Visit, page, read

_FOUND: Final = 6  # results per kind
_MOST_SOURCES: Final = 200
_FEWEST_CHARS: Final = 2  # needed to search conversations


class OverviewPages(Pages):
    _overviews: Overviews

    @page("/console", access=read, menu=MenuEntry("Overview", "Work", 0, "home"))
    async def home(self, visit: Visit[NoForm]) -> Shown:
        overview = await self._overviews.overview(visit.actor)
        return Shown(
            "overview/overview.html",
            {
                "overview": overview,
                "names": {each.agent.id: each.agent.draft.name for each in overview.agents},
                "changes": [(_WORDS[change.kind], change, _leads_to(visit, change)) for change in overview.changes],
            },
        )


_WORDS = {
    ChangeKind.PUBLISHED: "Published",
    ChangeKind.READ: "Read",
    ChangeKind.GAP_ANSWERED: "Gap closed with proof",
    ChangeKind.GAP_REOPENED: "Gap reopened",
}


def _leads_to(visit: Visit[NoForm], change: Change) -> str:
    match change.kind:
        case ChangeKind.PUBLISHED:
            return visit.url("agent_versions", agent_id=change.agent_id)
        case ChangeKind.READ:
            return visit.url("source", agent_id=change.agent_id, source_id=change.subject_id)
        case ChangeKind.GAP_ANSWERED | ChangeKind.GAP_REOPENED:
            return visit.url("gap", agent_id=change.agent_id, gap_id=change.subject_id)


@cache
def help_texts() -> dict[str, str]:
    """The help texts as Markdown, by the label of the menu's entry."""
    written = _text("help.md")
    return {title: text.strip() for title, _, text in (each.partition("\n") for each in written.split("### ")[1:])}


@cache
def glossary() -> list[tuple[str, str]]:
    """Pairs of word and meaning, read from a table in Markdown."""
    rows = [row.strip("|").split("|") for row in _text("glossary.md").splitlines()[2:]]
    return [(word.strip(), meaning.strip()) for word, meaning in rows]


@cache
def _text(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


class HelpPages(Pages):
    @page("/console/help", access=read)
    async def help(self, visit: Visit[NoForm]) -> Shown:
        return Shown("overview/help.html", {"texts": help_texts(), "glossary": glossary()})


# Tasks that the search finds: name, synonyms, page, and the place on the page.
_ACTS: Final = (
    ("Publish draft", "deploy go live release", "agent_versions", ""),
    ("Pause or resume", "stop close chat off", "agent_versions", ""),
    ("New curated answer", "write add create faq", "new_curated_answer", ""),
    ("Add website", "source url crawl", "sources", "#website"),
    ("Add file", "upload pdf source", "sources", "#file"),
    ("Read again", "crawl refresh sync update", "sources", ""),
    ("Copy the script tag", "embed snippet install", "embed_agent", ""),
)


class FindWanted(Form):
    q: str = Field(default="", max_length=MAX_TEXT_CHARS)


class FindPages(Pages):
    """Searches the current agent. The template itself searches the menu's pages and the other agents."""

    _review: ConversationReview
    _gaps: Gaps
    _sources: Sources

    @page("/console/agents/{agent_id}/find", access=read, under="home")
    async def find(self, visit: Visit[FindWanted]) -> Shown:
        wanted = " ".join(words_of(visit.input.q))
        found = await self._found(visit, wanted) if len(wanted) >= _FEWEST_CHARS else {}
        return Shown("overview/find.html", {"q": visit.input.q.strip(), "found": found})

    async def _found(self, visit: Visit[FindWanted], wanted: str) -> dict[str, list[tuple[str, str, str]]]:
        """Results by kind, each as (text, URL, details)."""
        actor, agent_id, page = visit.actor, visit.agent.id, PageRequest(_FOUND)
        entries = await self._review.conversations(actor, agent_id, page, ConversationFilter(text=wanted))
        gaps = await self._gaps.gaps(actor, agent_id, None, page, GapFilter(text=wanted), GapOrder.LATEST)
        sources = await self._sources.sources(actor, agent_id, PageRequest(_MOST_SOURCES))
        talks = [each.conversation for each in entries.items]
        named = [
            each for each in sources.items if wanted.casefold() in f"{each.config.name} {each.config.url}".casefold()
        ]
        settings = settings_with(visit.agent.draft, wanted) if actor.may(WRITE) else []
        acts = (
            [act for act in _ACTS if wanted.casefold() in f"{act[0]} {act[1]}".casefold()] if actor.may(WRITE) else []
        )
        return {
            "Actions": [(name, visit.url(page) + at, "") for name, _, page, at in acts],
            "Settings": [
                (label, f"{visit.url(page)}#{at}", words[:80]) for label, page, at, words in settings[:_FOUND]
            ],
            "Conversations": [
                (each.first_question, visit.url("conversation", conversation_id=each.id), day(each.last_active_at))
                for each in talks
            ],
            "Gaps": [(each.question, visit.url("gap", gap_id=each.id), each.state.value) for each in gaps.items],
            "Sources": [
                (each.config.name, visit.url("source", source_id=each.id), each.config.kind.value)
                for each in named[:_FOUND]
            ],
        }
