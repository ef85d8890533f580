"""A workspace's own chat models are added, tested and removed by commands."""

import json
from pathlib import Path
from urllib.parse import urlsplit

from typer.testing import CliRunner, Result

from app.cli import cli
from tests.doubles.fake_openai import FakeOpenAI, Refuse, Say


def test_one_is_added_tested_listed_and_removed(tmp_path: Path) -> None:
    with FakeOpenAI().running() as fake:
        fake.plays(Say(["ready"]), Refuse(401))
        allowed = f"127.0.0.1:{urlsplit(fake.url).port}"
        told = {"DOCENT_DATA": str(tmp_path), "DOCENT_LOG_LEVEL": "error", "DOCENT_CRAWL_ALLOW": allowed}

        def docent(*arguments: str, typed: str = "") -> Result:
            return CliRunner().invoke(cli, ["chat-model", *arguments], env=told, input=typed)

        added = docent("add", "large", "--url", fake.url, "--model", "large-1", typed="sk-secret\n")
        assert added.exit_code == 0, added.output
        assert 'large answered "ready"' in docent("test", "large").stdout
        assert fake.asked[0].headers["authorization"] == "Bearer sk-secret"
        refused = docent("test", "large")
        assert (refused.exit_code, "refused the API key" in refused.output) == (1, True)
        listed = docent("list", "--json").stdout
        assert json.loads(listed) == {"chat_models": [{"name": "large", "url": fake.url, "model": "large-1"}]}
        assert "sk-secret" not in docent("list").stdout
        assert docent("remove", "small").exit_code == 2
        assert docent("remove", "large").exit_code == 0
        assert json.loads(docent("list", "--json").stdout) == {"chat_models": []}
