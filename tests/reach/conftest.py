"""A whole Docent with its shipped models on a loopback port, as programs reach it."""

from collections.abc import AsyncIterator
from dataclasses import dataclass

import httpx2
import pytest

from app.bootstrap.infrastructure import open_infrastructure
from app.core.actor import ASK, PROPOSE, READ, Actor
from app.main import open_app
from app.settings import Settings, read_settings
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.records.tokens import TokenRecords
from tests.system.conftest import SITE, learnt_agent
from tests.web.live_server import serving


@dataclass
class Reached:
    """`ask_token` may ask and nothing else, `read_token` may only look, `propose_token` may propose as well."""

    settings: Settings
    http: httpx2.AsyncClient
    base: str
    agent_id: str
    ask_token: str
    read_token: str
    propose_token: str


@pytest.fixture(scope="module")
async def reached(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reached]:
    """It quotes its pages: no chat model is set."""
    settings = read_settings(data=tmp_path_factory.mktemp("reached"), shutdown_seconds=1)
    agent_id = await learnt_agent(settings, f"{SITE}/lamps")
    async with open_infrastructure(settings) as base:
        admin = await base.record.read(lambda tx: Actor(TokenRecords(tx).default_workspace(), "cli"))
        tokens = ApiTokens(base.record, base.clock)
        ask = (await tokens.issue(admin, "program", [ASK])).token
        read = (await tokens.issue(admin, "reader", [READ])).token
        propose = (await tokens.issue(admin, "writer", [READ, PROPOSE])).token
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Reached(settings, http, str(http.base_url).rstrip("/"), agent_id, ask, read, propose)
