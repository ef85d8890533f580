"""Admin API: agents, suggested starter questions, and agents' pictures, which widgets request."""

import re
from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field
from starlette.responses import Response

from app.agents.agents import MAX_UPLOAD_BYTES, AgentPictures, Agents
from app.agents.api.agent_models import (
    AgentCreate,
    AgentOut,
    AgentPatch,
    AgentVersionOut,
    CostsOut,
    MonthCostOut,
    PublishedOut,
    PublishIn,
    RollBackIn,
    TokenBudgetOut,
    changed,
)
from app.agents.retrieval_presets import PRESETS, PresetName
from app.agents.widget_settings import Invitation
from app.conversations.token_budgets import TokenBudgets
from app.core.actor import Actor
from app.core.errors import NotFound
from app.knowledge.starter_suggestions import SUGGESTED, StarterSuggestion, StarterSuggestions
from app.providers.pillow_picture import MEDIA_TYPE, SIDE_PX
from app.quality.publishing import Publishing
from app.web.access import everyone
from app.web.endpoint import AnyEndpoint
from app.web.operation import Api, Call, ListOut, ListQuery, Model, Multipart, get, items_of, patch, post, read, write
from app.web.request_body import FORM_BYTES, FilePart

TAG = "Agents"
_LANGUAGE = "[a-z]{2,3}"
_INVITATIONS_KEPT_SECONDS = 300


class PresetIn(Model):
    preset: PresetName = Field(
        description="`measured`: the defaults. `reference`: reciprocal ranks, and the reranker decides alone: its "
        "sigmoid(.4 x) must reach .501."
    )


class AdminAgents(Api):
    tag = TAG
    _agents: Agents
    _publishing: Publishing
    _budgets: TokenBudgets

    @post("/v1/agents", "Create an agent; visitors can use it once it is published", access=write, status=201)
    async def create_agent(self, call: Call[Actor, AgentCreate]) -> AgentOut:
        return AgentOut.showing(await self._agents.create(call.caller, call.input.config()))

    @get("/v1/agents", "List agents, oldest first", access=read)
    async def list_agents(self, call: Call[Actor, ListQuery]) -> ListOut[AgentOut]:
        page = await self._agents.page(call.caller, call.input.page)
        return ListOut[AgentOut].showing(page)

    @get("/v1/agents/{agent_id}", "Get an agent", access=read)
    async def get_agent(self, call: Call[Actor, None]) -> AgentOut:
        return AgentOut.showing(await self._agents.agent(call.caller, call.path_id("agent_id")))

    @patch("/v1/agents/{agent_id}", "Change the draft; only the fields sent change", access=write)
    async def edit_agent(self, call: Call[Actor, AgentPatch]) -> AgentOut:
        agent = await self._agents.change_draft(
            call.caller, call.path_id("agent_id"), lambda draft: changed(draft, call.input)
        )
        return AgentOut.showing(agent)

    @post(
        "/v1/agents/{agent_id}/retrieval-preset",
        "Set the draft's threshold and search settings to a preset; settings outside it stay",
        access=write,
    )
    async def set_retrieval_preset(self, call: Call[Actor, PresetIn]) -> AgentOut:
        preset = PRESETS[call.input.preset]
        return AgentOut.showing(await self._agents.change_draft(call.caller, call.path_id("agent_id"), preset.onto))

    @post(
        "/v1/agents/{agent_id}/publish",
        "Publish the draft",
        access=write,
        is_input_optional=True,
        codes=("publish_gate_failed",),
    )
    async def publish_agent(self, call: Call[Actor, PublishIn]) -> PublishedOut:
        given = call.input
        published = await self._publishing.publish(call.caller, call.path_id("agent_id"), given.note, force=given.force)
        return PublishedOut.showing(published)

    @post(
        "/v1/agents/{agent_id}/rollback",
        "Publish the settings of an earlier version as a new one",
        access=write,
        codes=("publish_gate_failed",),
    )
    async def roll_back_agent(self, call: Call[Actor, RollBackIn]) -> PublishedOut:
        published = await self._publishing.roll_back(
            call.caller, call.path_id("agent_id"), call.input.number, call.input.note, force=call.input.force
        )
        return PublishedOut.showing(published)

    @post(
        "/v1/agents/{agent_id}/pause", "Refuse the questions of visitors and programs until resume_agent", access=write
    )
    async def pause_agent(self, call: Call[Actor, None]) -> AgentOut:
        return AgentOut.showing(await self._agents.pause(call.caller, call.path_id("agent_id"), True))

    @post("/v1/agents/{agent_id}/resume", "Answer visitors and programs again", access=write)
    async def resume_agent(self, call: Call[Actor, None]) -> AgentOut:
        return AgentOut.showing(await self._agents.pause(call.caller, call.path_id("agent_id"), False))

    @get("/v1/agents/{agent_id}/budget", "Get how much of today's token limit has been used", access=read)
    async def get_agent_budget(self, call: Call[Actor, None]) -> TokenBudgetOut:
        return TokenBudgetOut.showing(await self._budgets.budget(call.caller, call.path_id("agent_id")))

    @get("/v1/agents/{agent_id}/costs", "Get the costs of the chat model by month", access=read)
    async def get_agent_costs(self, call: Call[Actor, None]) -> CostsOut:
        months = await self._budgets.months(call.caller, call.path_id("agent_id"))
        return CostsOut(months=[MonthCostOut.showing(month) for month in months])

    @get("/v1/agents/{agent_id}/versions", "List published versions, newest first", access=read)
    async def list_agent_versions(self, call: Call[Actor, ListQuery]) -> ListOut[AgentVersionOut]:
        page = await self._agents.versions(call.caller, call.path_id("agent_id"), call.input.page)
        return ListOut[AgentVersionOut].showing(page)


class StarterSuggestionOut(Model, shows=StarterSuggestion, fields="question url title"): ...


class StarterSuggestionsOut(Model, adds=items_of(StarterSuggestionOut, f"At most {SUGGESTED}.")): ...


class AdminStarterSuggestions(Api):
    tag = TAG
    _suggestions: StarterSuggestions

    @get(
        "/v1/agents/{agent_id}/starter-suggestions",
        "Suggest starter_prompts: questions that the pages answer and that the draft does not have yet",
        access=read,
    )
    async def suggest_starter_prompts(self, call: Call[Actor, None]) -> StarterSuggestionsOut:
        found = await self._suggestions.suggestions(call.caller, call.path_id("agent_id"))
        return StarterSuggestionsOut.showing(items=found)


class PictureUpload(Multipart):
    file: FilePart = Field(description="PNG, JPEG or WebP, recognised by its content; at most 2 MB.")


class AdminAgentPicture(Api):
    tag = TAG
    _pictures: AgentPictures

    def endpoints(self) -> Sequence[AnyEndpoint]:
        """Larger than other bodies."""
        return [replace(each, max_body_bytes=MAX_UPLOAD_BYTES + FORM_BYTES) for each in super().endpoints()]

    @post(
        "/v1/agents/{agent_id}/picture",
        f"Set the draft's picture, converted to a WebP of {SIDE_PX} by {SIDE_PX} pixels",
        access=write,
    )
    async def set_agent_picture(self, call: Call[Actor, PictureUpload]) -> AgentOut:
        return AgentOut.showing(await self._pictures.set(call.caller, call.path_id("agent_id"), call.input.file))


class InvitationOut(Model, shows=Invitation, fields="name text question pages after_seconds"): ...


class InvitationsOut(Model, adds=items_of(InvitationOut)): ...


class WidgetInvitations(Api):
    tag = "Widget"
    _agents: Agents

    @get(
        "/widget/invitations/{agent_id}/{language}.json",
        "Get the invitations of the live agent, in the language of the interface",
        access=everyone,
        path_patterns={"language": _LANGUAGE},
        codes=("not_found",),
    )
    async def get_invitations(self, call: Call[None, None]) -> Response:
        """A static file, like the widget's scripts: the request needs nothing about the visitor, and nobody learns who
        reads it.
        """
        language = str(call.request.path_params["language"])
        if not re.fullmatch(_LANGUAGE, language):
            raise NotFound("language of the widget")
        agent = await self._agents.live(call.path_id("agent_id"))
        invitations = () if agent.is_paused else agent.config.in_language(language).invitations
        body = InvitationsOut.showing(items=invitations)
        return Response(body.model_dump_json(), media_type="application/json", headers=_INVITATION_HEADERS)


_INVITATION_HEADERS = {
    "Cache-Control": f"public, max-age={_INVITATIONS_KEPT_SECONDS}",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Access-Control-Allow-Origin": "*",
}


class WidgetPicture(Api):
    tag = "Widget"
    _pictures: AgentPictures

    @get(
        "/widget/pictures/{agent_id}/{picture}.webp",
        "Get an agent's picture by its fingerprint",
        access=everyone,
        response_media_type=MEDIA_TYPE,
        path_patterns={"picture": "[0-9a-f]{16}"},
    )
    async def get_agent_picture(self, call: Call[None, None]) -> Response:
        """Its bytes never change. The widget draws it on a canvas, so a website's policy need not allow our images."""
        body = await self._pictures.published(call.path_id("agent_id"), str(call.request.path_params["picture"]))
        headers = {
            "Cache-Control": "public, max-age=31536000, immutable",
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Access-Control-Allow-Origin": "*",
            "X-Content-Type-Options": "nosniff",
            "Content-Security-Policy": "sandbox; default-src 'none'; frame-ancestors 'none'",
        }
        return Response(body, media_type=MEDIA_TYPE, headers=headers)
