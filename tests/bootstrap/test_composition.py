"""The web application as it is opened from its settings, without a double: what would fail in silence fails here."""

import ast
from collections.abc import AsyncIterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry
from pydantic import SecretStr

import app.main
from app.bootstrap.application import create_app
from app.kit.wiring import Wiring
from app.main import open_app
from app.settings import read_settings
from tests.doubles.fake_openai import FakeOpenAI

_ROOT = Path(app.main.__file__).parent


@pytest.fixture
async def everything_on(tmp_path: Path, fake_openai: FakeOpenAI) -> AsyncIterator[Wiring]:
    settings = read_settings(
        data=tmp_path,
        shutdown_seconds=1,
        model_url=fake_openai.url,
        model_name="fake",
        oidc_issuer="https://sign-in.example",
        oidc_client_id="docent",
        oidc_client_secret=SecretStr("a secret of the client"),
        oidc_roles="staff=viewer",
    )
    async with open_app(settings) as web:
        yield web.parts


async def test_every_optional_part_is_there_once_its_feature_is_on(everything_on: Wiring) -> None:
    assert [kind for kind, part in everything_on.given.items() if part is None] == []


async def test_what_the_composition_root_opens_is_never_made_a_second_time(everything_on: Wiring) -> None:
    """A second one would have a cache, a connection or a count of its own."""
    assert _made_again(everything_on) == set()


async def test_no_part_can_be_left_out_unnoticed(everything_on: Wiring) -> None:
    for kind in everything_on.given:
        given = {**everything_on.given, CollectorRegistry: CollectorRegistry()}  # one takes each metric once
        del given[kind]
        parts = Wiring(given)
        with suppress(LookupError):
            create_app(parts)
            assert _made_again(parts), f"{kind} is given and nobody misses it."


def _made_again(parts: Wiring) -> set[str]:
    return {kind.__name__ for kind in parts.made} & _made_by_hand()


@cache
def _made_by_hand() -> frozenset[str]:
    """The classes that the composition root of the web process calls by name."""
    of_the_worker = _ROOT / "bootstrap" / "background_tasks.py"
    files = {_ROOT / "main.py", *(_ROOT / "bootstrap").glob("*.py")} - {of_the_worker}
    nodes = (node for path in files for node in ast.walk(ast.parse(path.read_text())))
    calls = (node.func for node in nodes if isinstance(node, ast.Call))
    return frozenset(call.id for call in calls if isinstance(call, ast.Name) and call.id[0].isupper())
