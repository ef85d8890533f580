"""The console's page for what visitors get: publishing, going back, and the widget's tag for websites."""

from collections.abc import Sequence
from dataclasses import replace

import anyio.to_thread

from app.agents.agent import Agent, AgentConfig, AgentVersion
from app.agents.agents import Agents
from app.agents.api.agent_models import PublishIn
from app.agents.pages.draft_changes import draft_changes
from app.agents.pages.embed_tag import embed_tags
from app.core.errors import InvalidInput, PublishGateFailed
from app.core.list_page import PageRequest
from app.core.origin import is_listed
from app.quality.publishing import Published, Publishing
from app.web.console.page import Form, Go, NoForm, Pages, Shown, Visit, action, page, read, write
from app.web.middleware.public_url import base_url_of
from app.web.widget_script import SCRIPT_PATH, WidgetFolder

_VERSIONS = 100


class PublishForm(PublishIn, Form): ...


class BackForm(PublishForm):
    number: int | None = None


class AgentVersionPages(Pages):
    _agents: Agents
    _publishing: Publishing
    _widget: WidgetFolder

    @page("/console/agents/{agent_id}/settings/versions", access=read, under="agent_settings")
    async def agent_versions(self, visit: Visit[NoForm]) -> Shown:
        found = await self._agents.versions(visit.actor, visit.agent.id, PageRequest(_VERSIONS))
        live = _live(visit.agent, found.items)
        changes = draft_changes(live.config, visit.agent.draft) if live else []
        run = await self._publishing.known(visit.actor, visit.agent.id) if changes else None
        context = {"versions": found.items, "live": live, "changes": changes, "run": run}
        return Shown("agents/pages/agent_versions.html", context)

    @action("/console/agents/{agent_id}/settings/publish", access=write, shown_on="agent_versions")
    async def publish_agent(self, visit: Visit[PublishForm]) -> Go:
        try:
            given = visit.input
            published = await self._publishing.publish(visit.actor, visit.agent.id, given.note, force=given.force)
        except PublishGateFailed as error:
            raise InvalidInput("", f"Not published. {error.losses}") from None
        return Go(visit.url("agent_versions"), f"Version {published.version.number} is live.{_losses(published)}")

    @action("/console/agents/{agent_id}/settings/pause", access=write, shown_on="agent_versions")
    async def pause_agent(self, visit: Visit[NoForm]) -> Go:
        await self._agents.pause(visit.actor, visit.agent.id, True)
        return Go(visit.url("agent_versions"))

    @action("/console/agents/{agent_id}/settings/resume", access=write, shown_on="agent_versions")
    async def resume_agent(self, visit: Visit[NoForm]) -> Go:
        await self._agents.pause(visit.actor, visit.agent.id, False)
        return Go(visit.url("agent_versions"), "Visitors get answers again.")

    @action("/console/agents/{agent_id}/settings/back", access=write, shown_on="agent_versions")
    async def roll_back(self, visit: Visit[BackForm]) -> Go:
        number = visit.input.number
        if number is None:
            raise InvalidInput("", "Choose a version of this agent.")
        try:
            published = await self._publishing.roll_back(visit.actor, visit.agent.id, number, force=visit.input.force)
        except PublishGateFailed as error:
            raise InvalidInput("", f"Not published. {error.losses}") from None
        except InvalidInput as error:
            raise InvalidInput("", error.message) from None
        outcome = f"Version {published.version.number} is live: the settings of {number}.{_losses(published)}"
        return Go(visit.url("agent_versions"), outcome)

    @page("/console/agents/{agent_id}/settings/embed", access=read, under="agent_settings")
    async def embed_agent(self, visit: Visit[NoForm]) -> Shown:
        """The widget with the draft's appearance, and the tag to paste."""
        base, origin = base_url_of(visit.request), _own_origin(visit)
        found = await self._agents.versions(visit.actor, visit.agent.id, PageRequest(_VERSIONS))
        live = _live(visit.agent, found.items)
        worn = live.config if live else visit.agent.draft
        context = {
            "tag": embed_tags(base, visit.agent.id, worn),
            "pinned": await anyio.to_thread.run_sync(embed_tags, base, visit.agent.id, worn, self._widget),
            "script": visit.root_path + SCRIPT_PATH,
            "is_admitted": live is not None and is_listed(origin, live.config.allowed_origins),
            "is_in_draft": is_listed(origin, visit.agent.draft.allowed_origins),
            "live": live,
            "origin": origin,
        }
        return Shown("agents/pages/agent_embed.html", context)

    @action("/console/agents/{agent_id}/settings/embed", access=write, shown_on="embed_agent")
    async def list_console(self, visit: Visit[NoForm]) -> Go:
        """Adds this server to the draft's websites, so that the preview works once the draft is live."""
        origin = _own_origin(visit)

        def listed(draft: AgentConfig) -> AgentConfig:
            known = draft.allowed_origins
            return draft if is_listed(origin, known) else replace(draft, allowed_origins=(*known, origin))

        await self._agents.change_draft(visit.actor, visit.agent.id, listed)
        return Go(visit.url("agent_versions"), f"{origin} added to the draft. Publish it to try the widget there.")


def _own_origin(visit: Visit[NoForm]) -> str:
    return f"{visit.request.url.scheme}://{visit.request.url.netloc}"


def _losses(published: Published) -> str:
    lost = len(published.compared.lost) if published.compared else 0
    return f" It loses {lost} golden questions." if lost else ""


def _live(agent: Agent, versions: Sequence[AgentVersion]) -> AgentVersion | None:
    return next((version for version in versions if version.number == agent.live_version), None)
