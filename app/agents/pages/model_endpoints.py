"""Console page: a workspace's own chat models, added, changed, tested and removed."""

from app.agents.api.model_endpoints import ModelEndpointIn, made_of
from app.agents.model_endpoint import MAX_ENDPOINTS, EndpointKey
from app.agents.model_endpoints import ModelEndpoints
from app.core.errors import InvalidInput, ModelInterrupted, Unavailable
from app.web.console.page import Form, Go, MenuEntry, NoForm, Pages, Shown, Visit, action, manage, page

_PATH = "/console/chat-models"


class ModelEndpointForm(ModelEndpointIn, Form): ...


class ModelEndpointPages(Pages):
    _endpoints: ModelEndpoints

    @page(_PATH, access=manage, menu=MenuEntry("Chat models", "Workspace", 5, "plug"))
    async def chat_models(self, visit: Visit[NoForm]) -> Shown:
        found = await self._endpoints.of_workspace(visit.actor)
        return Shown("agents/pages/model_endpoints.html", {"endpoints": found, "most": MAX_ENDPOINTS})

    @action(_PATH, access=manage, shown_on="chat_models")
    async def add_chat_model(self, visit: Visit[ModelEndpointForm]) -> Go:
        await self._endpoints.create(visit.actor, *made_of(visit.input, visit.actor))
        return Go(visit.url("chat_models"), "Chat model added. Test it before an agent uses it.")

    @page(_PATH + "/{chat_model_id}", access=manage, under="chat_models")
    async def chat_model(self, visit: Visit[NoForm]) -> Shown:
        endpoint = await self._endpoints.endpoint(visit.actor, visit.path_id("chat_model_id"))
        return Shown("agents/pages/model_endpoint.html", {"endpoint": endpoint})

    @action(_PATH + "/{chat_model_id}", access=manage, shown_on="chat_model")
    async def save_chat_model(self, visit: Visit[ModelEndpointForm]) -> Go:
        given, key = visit.input, visit.input.made(EndpointKey).key
        await self._endpoints.change(visit.actor, visit.path_id("chat_model_id"), given.applied_to, key)
        return Go(visit.url("chat_models"), "Chat model saved. The next answer uses it.")

    @action(_PATH + "/{chat_model_id}/test", access=manage, under="chat_models")
    async def test_chat_model(self, visit: Visit[NoForm]) -> Go:
        try:
            outcome = await self._endpoints.test(visit.actor, visit.path_id("chat_model_id"))
        except (InvalidInput, ModelInterrupted, Unavailable) as error:
            return Go(visit.url("chat_models"), f"No answer. {error}")
        return Go(visit.url("chat_models"), f"It {outcome}.")

    @action(_PATH + "/{chat_model_id}/delete", access=manage, shown_on="chat_model")
    async def delete_chat_model(self, visit: Visit[NoForm]) -> Go:
        await self._endpoints.delete(visit.actor, visit.path_id("chat_model_id"))
        return Go(visit.url("chat_models"), "Chat model removed.")
