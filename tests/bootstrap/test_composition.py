"""The web application as it is opened from its settings, without a double: what would fail in silence fails here."""

import ast
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr

import app.main
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
    assert everything_on.absent == frozenset()


async def test_what_the_composition_root_opens_is_never_made_a_second_time(everything_on: Wiring) -> None:
    """A second one would have a cache, a connection or a count of its own."""
    assert {kind.__name__ for kind in everything_on.made} & set(_made_by_hand()) == set()


def _made_by_hand() -> Iterator[str]:
    """The classes that the composition root of the web process calls by name."""
    of_the_worker = _ROOT / "bootstrap" / "background_tasks.py"
    for path in {_ROOT / "main.py", *(_ROOT / "bootstrap").glob("*.py")} - {of_the_worker}:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id[0].isupper():
                yield node.func.id
