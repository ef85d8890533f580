"""A marker in every secret that Docent is given: it is in nothing that Docent tells."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.bootstrap.infrastructure import open_infrastructure
from app.core.actor import SCOPES, Actor
from app.main import open_app
from app.settings import BadSettings, Settings, read_settings
from app.workspaces.api_tokens import ApiTokens
from app.workspaces.records.tokens import TokenRecords
from tests.doubles.fake_openai import FakeOpenAI, Refuse
from tests.doubles.metrics_reader import METRICS_TOKEN, read_metrics
from tests.every_row import every_row
from tests.system.conftest import SITE, Running, learnt_agent
from tests.web.live_server import serving

MARK = "zqxSECRETzqx"
URLS = {
    "database_url": "postgresql+psycopg://docent:{}@db.example/docent",
    "jobs_url": "postgresql://db.example/jobs?user=docent&password={}",
    "redis_url": "redis://:{}@cache.example:6379/0",
    "smtp_url": "smtps://user@mail.example",
    "smtp_oauth": "https://login.example/token?client_id=docent&client_secret={}",
    "model_url": "https://user:{}@models.example/v1",
    "fallback_model_url": "https://models.example/v1?api_key={}&x=1",
    "helper_model_url": "https://user:{}@helper.example/v1",
    "embeddings_url": "https://user:{}@models.example/v1",
    "rerank_url": "https://user:{}@rank.example",
    "vectors_uri": "s3://bucket/folder?aws_secret_access_key={}",
    "files_uri": "s3://bucket/files?aws_secret_access_key={}",
}
NAMES = {"model_name": "m", "fallback_model_name": "f", "helper_model_name": "h", "embeddings_model": "e"}
NAMES |= {"mail_from": "docent@example.com", "public_url": "https://docent.example.com"}
AS_IT_IS = ("redis_url", "smtp_oauth")  # a secret with signs of a URL is refused there


def secret_names() -> Iterator[str]:
    for name, field in Settings.model_fields.items():
        if isinstance(field.default, SecretStr):
            yield name


def told(settings: Settings) -> Iterator[str]:
    yield repr(settings)
    yield str(settings)
    yield f"{settings!r:>10}"
    yield json.dumps(settings.shown())
    yield repr([settings])


@every_row("secret", [MARK, f"p@{MARK}", f"a/{MARK}:b", f"{MARK}%40", f"x@y@{MARK}"])
def test_settings_print_no_secret(secret: str) -> None:
    given: dict[str, Any] = {name: secret for name in secret_names() if name not in URLS}
    given["secret_key"] = (MARK * 4)[:43]
    given["vectors_options"] = given["files_options"] = f"aws_secret_access_key={secret}"
    given["metrics_token"] = secret + MARK
    assert {"model_key", "fallback_model_key", "embeddings_key", "rerank_key"} <= set(given)
    urls = {name: url.format(MARK if name in AS_IT_IS else secret) for name, url in URLS.items()}
    settings = read_settings(**given, **urls, **NAMES)
    with_password = settings.model_copy(update={"smtp_url": SecretStr(f"smtps://user:{MARK}@mail.example")})
    for text in (*told(settings), *told(with_password)):
        assert MARK not in text
        assert "db.example" in text, "the rest of an address is told"


def test_every_setting_that_may_hold_a_secret_was_planted() -> None:
    """A new address or key belongs into this file."""
    fields = set(Settings.model_fields)
    likely = {name for name in fields if name.endswith(("_url", "_uri", "_key", "_secret", "_token", "_password"))}
    likely -= {"public_url"}  # which visitors see
    assert likely <= set(URLS) | set(secret_names())


def test_a_value_that_cannot_be_used_is_not_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DOCENT_REDIS_URL", f"http://:{MARK}@cache.example")
    monkeypatch.setenv("DOCENT_PORT", MARK)
    with pytest.raises(BadSettings) as caught:
        read_settings()
    assert "DOCENT_REDIS_URL" in str(caught.value)
    assert MARK not in str(caught.value)


async def test_nothing_that_runs_tells_one(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Provider keys, an API token, a visitor token, a hook's secret: while calls succeed, are refused and fail."""
    with FakeOpenAI().running() as provider:
        settings = read_settings(
            data=tmp_path,
            model_url=provider.url,
            model_name="fake",
            model_key=MARK,
            metrics_token=METRICS_TOKEN,
            log_level="debug",
        )
        provider.plays(Refuse(401), Refuse(500))
        agent_id = await learnt_agent(settings)
        secrets, answers = await everything_said(settings, agent_id)
        assert any(asked.headers.get("authorization") == f"Bearer {MARK}" for asked in provider.asked)
    logged = capfd.readouterr()
    for secret in (MARK, *secrets):
        assert len(secret) > 10
        for text in (logged.out, logged.err, *answers):
            assert secret not in text


async def everything_said(settings: Settings, agent_id: str) -> tuple[list[str], list[str]]:
    """Secrets that were handed out, and all that was answered beside the answers that handed them out."""
    async with open_infrastructure(settings) as base:
        tokens = ApiTokens(base.record, base.clock)
        with base.record.writing() as tx:
            workspace = TokenRecords(tx).default_workspace()
            [key] = TokenRecords(tx).signing_keys()
        issued = await tokens.issue(Actor(workspace, "cli"), "planted", SCOPES)
    async with open_app(settings) as web, serving(web.app) as (_, http):
        running, bearer = Running(http, agent_id, settings.data), {"Authorization": f"Bearer {issued.token}"}
        visitor = await running.visitor()
        made = await http.post(
            f"/v1/agents/{agent_id}/webhooks",
            json={"url": "https://hooks.example.com/", "events": ["turn.finished"]},
            headers=bearer,
        )
        secrets = [issued.token, visitor.token, made.json()["secret"], key.secret.hex(), repr(key.secret)]
        answers = [str(await visitor.ask("How long is the warranty of a lamp?")) for _ in range(2)]
        for path in (
            "/openapi.json", "/readyz", "/v1/agents", "/v1/tokens", f"/v1/agents/{agent_id}/webhooks",
            f"/v1/agents/{agent_id}/conversations", f"/v1/agents/{agent_id}/gaps", "/v1/nothing",
        ):  # fmt: skip
            answers.append((await http.get(path, headers=bearer)).text)
        answers.append(await read_metrics(http))
        mine = {"Authorization": f"Bearer {visitor.token}", "Origin": SITE}
        answers.append((await http.get("/v1/widget/me/export", headers=mine)).text)
        for wrong in ({"Authorization": f"Bearer {issued.token}x"}, {"Authorization": f"Bearer {visitor.token}x"}):
            answers.append((await http.get("/v1/agents", headers=wrong)).text)
            answers.append((await http.get("/v1/widget/conversation/messages", headers={**wrong, "Origin": SITE})).text)
    return secrets, answers
