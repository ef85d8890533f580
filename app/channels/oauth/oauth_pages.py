"""The page of the console on which an operator lets an assistant in."""

from dataclasses import dataclass
from urllib.parse import urlencode, urlsplit

from pydantic import Field

from app.agents.agents import Agents
from app.channels.oauth.grant import MAX_REDIRECT_CHARS, Client, agent_of, is_challenge, resource_path, scopes_of
from app.channels.oauth.grants import Grants
from app.channels.oauth.oauth_api import AUTHORIZE
from app.web.console.page import Answer, Form, Go, Pages, Shown, Visit, action, manage, page
from app.web.middleware.public_url import base_url_of

_MAX_CHARS = 4000


class ConnectForm(Form):
    """A request for authorization; unknown parameters are ignored."""

    client_id: str = Field(default="", max_length=_MAX_CHARS)
    redirect_uri: str = Field(default="", max_length=MAX_REDIRECT_CHARS)
    response_type: str = Field(default="", max_length=50)
    code_challenge: str = Field(default="", max_length=200)
    code_challenge_method: str = Field(default="", max_length=20)
    resource: str = Field(default="", max_length=500)
    scope: str = Field(default="", max_length=500)
    state: str = Field(default="", max_length=1000)


class DecisionForm(ConnectForm):
    decision: str = Field(default="", max_length=10)  # anything but "allow" denies


_Visit = Visit[ConnectForm] | Visit[DecisionForm]


@dataclass(frozen=True, slots=True)
class _Wanted:
    client: Client
    resource: str
    scopes: tuple[str, ...]
    agent: str  # "" for the operators' tools


class OAuthPages(Pages):
    _grants: Grants
    _agents: Agents

    @page(AUTHORIZE, access=manage, under="tokens")
    async def connect(self, visit: Visit[ConnectForm]) -> Answer:
        query = visit.input
        wanted = await self._wanted(visit, unknown=Shown("channels/oauth/unknown_assistant.html"))
        if not isinstance(wanted, _Wanted):
            return wanted
        return Shown(
            "channels/oauth/connect.html",
            {"query": query.model_dump(), "wanted": wanted, "goes_to": _host(query.redirect_uri)},
        )

    @action(AUTHORIZE, access=manage, shown_on="connect")
    async def decide(self, visit: Visit[DecisionForm]) -> Answer:
        query = visit.input
        wanted = await self._wanted(visit, unknown=Go(visit.url("connect")))
        if not isinstance(wanted, _Wanted):
            return wanted
        answer = {"error": "access_denied"}
        if query.decision == "allow":
            answer = {
                "code": await self._grants.allow(
                    visit.actor,
                    query.client_id,
                    wanted.client,
                    query.redirect_uri,
                    query.code_challenge,
                    wanted.resource,
                    wanted.scopes,
                )
            }
        # A page, because the content security policy lets no form redirect to another website.
        return Shown("channels/oauth/connected.html", _back(visit, answer))

    async def _wanted(self, visit: _Visit, unknown: Answer) -> _Wanted | Answer:
        """The checked request, or else the response: `unknown` for an unknown client, else a page with a link to the
        client that has the error. Anybody can register an address, so nobody is redirected there before they have
        decided (RFC 9700, 4.11.2)."""
        query = visit.input
        client = await self._grants.client(query.client_id)
        if client is None or not client.may_return_to(query.redirect_uri):
            return unknown
        if query.response_type != "code":
            return _mistaken(visit, "unsupported_response_type", "Send response_type=code.")
        if query.code_challenge_method != "S256" or not is_challenge(query.code_challenge):
            return _mistaken(visit, "invalid_request", "Send a code_challenge with S256 (PKCE).")
        resource = resource_path(query.resource, base_url_of(visit.request))
        if resource is None:
            return _mistaken(visit, "invalid_target", "Name an address of this server in resource.")
        agent_id = agent_of(resource)
        agent = (await self._agents.agent(visit.actor, agent_id)).draft.name if agent_id else ""
        return _Wanted(client, resource, scopes_of(resource, query.scope), agent)


def _mistaken(visit: _Visit, error: str, description: str) -> Shown:
    back = _back(visit, {"error": error, "error_description": description})
    return Shown("channels/oauth/connected.html", {**back, "mistake": description}, status=400)


def _back(visit: _Visit, answer: dict[str, str]) -> dict[str, str]:
    """The link to the client, which is its redirect address with the answer, its state, and the issuer (RFC 9207)."""
    query = visit.input
    answer |= {"iss": base_url_of(visit.request)} | ({"state": query.state} if query.state else {})
    back = f"{query.redirect_uri}{'&' if '?' in query.redirect_uri else '?'}{urlencode(answer)}"
    return {"back": back, "goes_to": _host(query.redirect_uri), "mistake": ""}


def _host(uri: str) -> str:
    parts = urlsplit(uri)
    return f"{parts.scheme}://{parts.netloc}"
