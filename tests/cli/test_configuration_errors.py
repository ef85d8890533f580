"""What is set up wrongly ends a command with one sentence: the variable, the fix, and exit code 2."""

import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli import cli
from app.core.errors import Misconfigured
from app.kit.private_files import check_data_folder
from app.sources.runs.jobs.dbos_job_queue import _open_client
from app.store.engine import open_engine
from app.store.secret_keys import new_key


def docent(*words: str, **environment: str) -> Result:
    return CliRunner().invoke(cli, list(words), env=environment)


def said_once(result: Result) -> str:
    """The sentence, where it is one of ours."""
    assert result.exit_code == 2, (result.output, result.exception)
    assert isinstance(result.exception, SystemExit)
    [line] = result.output.splitlines()
    return line.removeprefix("Error: ")


@pytest.mark.parametrize(
    ("variable", "value", "holds"),
    [
        pytest.param("DOCENT_DATA", "{tmp}/file", "is a file", id="data is a file"),
        pytest.param("DOCENT_DATA", "{tmp}/file/below", "cannot be created", id="data below a file"),
        pytest.param("DOCENT_DATA", "/proc/docent", "cannot be created", id="data where nothing can be made"),
        pytest.param("DOCENT_DATA", "/proc", "read-only", id="data where nothing can be written"),
        pytest.param("DOCENT_DATABASE_URL", "nonsense", "postgresql://user", id="no database address"),
        pytest.param("DOCENT_DATABASE_URL", "mysql://x/y", "postgresql://user", id="another database"),
        pytest.param("DOCENT_DATABASE_URL", "sqlite:////proc/x.sqlite", "cannot be created", id="a file out of reach"),
        pytest.param("DOCENT_DATABASE_URL", "postgresql://u:pw@127.0.0.1:1/x", "start it", id="a database away"),
        pytest.param("DOCENT_DATABASE_ROLE", "docent_workspace", "SQLite has no roles", id="a role of no Postgres"),
        pytest.param("DOCENT_MODLE_URL", "http://x/v1", "Did you mean DOCENT_MODEL_URL?", id="letters swapped"),
        pytest.param("DOCENT_DATABSE_URL", "x", "Did you mean DOCENT_DATABASE_URL?", id="a letter left out"),
        pytest.param("DOCENT_PORT", "many", "Send a whole number", id="no number"),
        pytest.param("DOCENT_LOG_LEVEL", "loud", "'debug'", id="none of the choices"),
        pytest.param("DOCENT_JOBS_URL", "mysql://x/y", "postgresql://user", id="no database for jobs"),
        pytest.param("DOCENT_MODEL_URL", "api.openai.com/v1", "https://", id="an endpoint without a scheme"),
        pytest.param("DOCENT_RERANK_URL", "http://", "https://", id="an endpoint without a host"),
        pytest.param("DOCENT_TRUSTED_PROXIES", "10.0.0.1,proxy", "10.0.0.0/8", id="a proxy by its name"),
        pytest.param("DOCENT_CRAWL_ALLOW", "example.com", "IP:PORT", id="a name to allow"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_with_its_fix(
    tmp_path: Path, variable: str, value: str, holds: str
) -> None:
    (tmp_path / "file").touch()
    usual = {"DOCENT_DATA": str(tmp_path / "data"), "DOCENT_SECRET_KEY": new_key()}
    said = said_once(docent("agent", "list", **usual | {variable: value.format(tmp=tmp_path)}))
    assert said.startswith(f"{variable}: ")
    assert holds in said
    for libraries in ("Value error", "Input should", "Errno", "sqlalchemy", "pw@"):
        assert libraries not in said


def test_of_two_settings_that_belong_together_the_missing_one_is_named(tmp_path: Path) -> None:
    said = said_once(docent("agent", "list", DOCENT_DATA=str(tmp_path), DOCENT_MODEL_NAME="gpt-5-mini"))
    assert said == "DOCENT_MODEL_URL: set it beside DOCENT_MODEL_NAME, or neither of the two"


def test_a_job_queue_that_is_away_is_named() -> None:
    with pytest.raises(Misconfigured, match="DOCENT_JOBS_URL: no database answers there"):
        _open_client("postgresql://docent@127.0.0.1:1/jobs")


@pytest.mark.parametrize("name", ["DOCENT_PORT_8000_TCP", "DOCENT_SERVICE_HOST", "DOCENT_EXAMPLES", "DOCENT_SEED"])
def test_variables_that_resemble_no_setting_are_left_alone(tmp_path: Path, name: str) -> None:
    """Kubernetes makes some for a service that is named docent."""
    assert docent("agent", "list", DOCENT_DATA=str(tmp_path), **{name: "tcp://10.0.0.1:8000"}).exit_code == 0


def test_a_plain_sqlite_address_is_opened_with_the_driver_that_fits(tmp_path: Path) -> None:
    assert open_engine(f"sqlite:///{tmp_path}/x.sqlite").url.drivername == "sqlite+pysqlite"


def test_a_missing_driver_is_named_with_its_installation(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.store.engine.find_spec", lambda _: None)
    with pytest.raises(Misconfigured, match=r"pip install 'docent\[scale\]'"):
        open_engine("postgresql://u@127.0.0.1/x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_the_right_to_write_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(Misconfigured, match="read-only"):
        check_data_folder(tmp_path)


@pytest.fixture
def taken_port() -> Iterator[str]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield str(listening.getsockname()[1])


def test_serve_says_that_its_port_is_in_use_before_it_opens_anything(tmp_path: Path, taken_port: str) -> None:
    data = tmp_path / "data"
    said = said_once(docent("serve", DOCENT_DATA=str(data), DOCENT_PORT=taken_port))
    assert said.startswith(f"DOCENT_PORT: port {taken_port} is in use")
    assert not data.exists()


@pytest.mark.parametrize("host", ["203.0.113.7", "nowhere.invalid"], ids=["another's", "no address"])
def test_serve_says_that_it_cannot_listen_at_an_address(tmp_path: Path, host: str) -> None:
    assert said_once(docent("serve", DOCENT_DATA=str(tmp_path), DOCENT_HOST=host)).startswith(
        f"DOCENT_HOST: {host}"[:12]
    )


def test_several_web_processes_say_what_they_share_by_redis(tmp_path: Path) -> None:
    said = said_once(docent("serve", "--processes", "2", "--port", "0", DOCENT_DATA=str(tmp_path), PATH=""))
    assert "DOCENT_REDIS_URL" in said
    assert "apt install redis-server" in said
