"""The command line over one data folder: crawl, ask, search, mend."""

import asyncio
import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.agents.agent import AgentConfig
from app.agents.agents import Agents
from app.agents.model_endpoints import NO_NAMES
from app.bootstrap.infrastructure import open_infrastructure
from app.cli import cli
from app.cli.demo.command import free_port, running_server
from app.cli.demo.script import ApiClient
from app.cli.demo.site_server import serve_demo_site
from app.cli.local_operator import local_operator, meant_agent
from app.settings import read_settings
from tests.doubles.recording_job_queue import RecordingJobQueue

runner = CliRunner()
Environment = dict[str, str]


def docent(environment: Environment, *words: str, code: int = 0) -> Result:
    result = runner.invoke(cli, list(words), env=environment)
    assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
    return result


def answer(environment: Environment, *words: str, code: int = 0) -> Any:
    [line] = docent(environment, *words, "--json", code=code).stdout.splitlines()
    return json.loads(line)


@pytest.fixture(scope="module")
def read_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Environment, Any]]:
    """A data folder after `docent crawl` over the demonstration site, and what the command said."""
    data = tmp_path_factory.mktemp("data")
    environment = {"DOCENT_DATA": str(data), "DOCENT_CRAWL_DELAY_SECONDS": "0", "DOCENT_LOG_LEVEL": "error"}
    with serve_demo_site() as site:
        allowed = site.base.removeprefix("http://")
        crawled = answer(environment, "crawl", f"{site.base}/", "--allow", allowed)
        asyncio.run(give_the_reranker_time(data))
        yield environment, crawled


async def give_the_reranker_time(data: Path) -> None:
    """What is found first is not to depend on how busy this machine is."""

    def patient(config: AgentConfig) -> AgentConfig:
        return replace(config, retrieval=replace(config.retrieval, rerank_budget_ms=30_000))

    async with open_infrastructure(read_settings(data=data)) as base:
        actor, agents = await local_operator(base), Agents(base.record, RecordingJobQueue(), NO_NAMES)
        agent = await meant_agent(base, actor, None)
        await agents.change_draft(actor, agent.id, patient)
        await agents.publish(actor, agent.id)


def test_crawl_reads_a_whole_site_and_says_why_pages_were_left_out(read_site: tuple[Environment, Any]) -> None:
    _, crawled = read_site
    assert crawled["state"] == "finished"
    assert crawled["counts"]["indexed"] >= 28
    problems = {problem["status"]: problem for problem in crawled["problems"]}
    assert "/internal/" in problems["blocked_by_robots"]["url"]
    assert problems["not_found"]["reason"]
    assert problems["noindex"]["url"].endswith("/thank-you/")


def test_ask_answers_with_citations(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    asked = answer(environment, "ask", "How long is the warranty on a station?")
    assert "3 years" in asked["answer"]
    assert asked["answered_by"] == "extractive"
    assert not asked["low_confidence"]
    assert any("/warranty/" in citation["url"] for citation in asked["citations"])
    assert asked["first_token_ms"] > 0
    keys = {"question", "answer", "answered_by", "confidence", "low_confidence", "citations", "first_token_ms"}
    assert asked.keys() == keys | {"answered_in"}
    assert asked["answered_in"] == "command"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What does the Plus plan cost?", "€3.90"),
        ("My station is offline", "Press the button under the station"),
        ("How do I return a station?", "return number"),
    ],
)
def test_what_the_demonstration_offers_to_ask_is_answered_at_once(
    read_site: tuple[Environment, Any], question: str, told: str
) -> None:
    environment, _ = read_site
    assert told in answer(environment, "ask", question)["answer"][:600]


def test_a_server_on_the_same_data_is_asked_by_commands(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    client = ApiClient(f"http://127.0.0.1:{free_port(None)}", "")
    with running_server(client, environment | {"DOCENT_PORT": client.base.rpartition(":")[2]}, with_worker=False):
        asked = answer(environment, "ask", "How long is the warranty on a station?", "--agent", "nim")
        found = answer(environment, "search", "webhook signature")
        here = answer(environment, "search", "webhook signature", "--here")
        unknown = docent(environment, "ask", "What?", "--agent", "nobody", code=2)
    assert ("3 years" in asked["answer"], asked["answered_in"]) == (True, "server")
    assert (found["answered_in"], here["answered_in"]) == ("server", "command")
    assert [chunk["url"] for chunk in found["chunks"]] == [chunk["url"] for chunk in here["chunks"]]
    assert "There is no agent 'nobody'" in unknown.output


def test_ask_streams_to_a_terminal(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    shown = docent(environment, "ask", "How long is the warranty on a station?").stdout
    assert "3 years" in shown
    assert "[1]" in shown
    assert "confidence" in shown


def test_what_is_not_answered_says_by_which_rule(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    question = "What is the airspeed of a swallow?"
    asked, found = answer(environment, "ask", question), answer(environment, "search", question)
    assert asked["low_confidence"]
    assert found["why_unsure"].startswith("The best passage has")
    assert asked["note"] == found["why_unsure"]
    assert f"Not enough to answer: {found['why_unsure']}" in docent(environment, "search", question).stdout


def test_what_robots_forbid_is_never_answered_from(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    asked = answer(environment, "ask", "What margin do resellers make? pelican-teacup-4471")
    assert "23.4" not in asked["answer"]
    assert "27.1" not in asked["answer"]


def test_search_explains_its_stages(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    found = answer(environment, "search", "How do I verify the signature of a webhook?", "--explain")
    assert "/integrations/webhooks/" in found["chunks"][0]["url"]
    assert found["chunks"][0]["is_source"]
    stages = [stage["stage"] for stage in found["trace"]["stages"]]
    assert stages == ["recall", "coverage", "fusion", "threshold"]
    assert "recall" in docent(environment, "search", "webhook signature", "--explain").stdout


def test_golden_questions_are_asked_of_the_agent(read_site: tuple[Environment, Any], tmp_path: Path) -> None:
    environment, _ = read_site
    golden = tmp_path / "golden.csv"
    webhooks = answer(environment, "search", "How do I verify the signature of a webhook?")["chunks"][0]["url"]
    page = webhooks.partition("#")[0]
    golden.write_text(
        f"question,pages,answer_contains\nHow do I verify the signature of a webhook?,{page},HMAC\n"
        f"What is the airspeed of a swallow?,,\n"
        f"How do I verify a webhook's origin?,https://www.example.com/nowhere,\n"
        f"How long is the warranty on a station?,,3 decades\n"
    )
    agent = answer(environment, "agent", "list")["agents"][0]["id"]

    docent(environment, "eval", "--agent", agent, code=2)
    docent(environment, "agent", "import-golden", str(golden))
    found = answer(environment, "eval", "--agent", agent)

    outcomes = {one["question"]: one for one in found["outcomes"]}
    assert outcomes["How do I verify the signature of a webhook?"]["place"] == 1
    assert [one["is_right"] for one in found["outcomes"]].count(True) == 2
    assert outcomes["How do I verify a webhook's origin?"]["place"] is None
    assert outcomes["How do I verify the signature of a webhook?"]["missing"] == []
    assert outcomes["How long is the warranty on a station?"]["missing"] == ["3 decades"]
    assert found["stages"]["reranked"]["page_hit@5"] == 0.5
    assert "2 of 4 are right" in docent(environment, "eval", "--agent", agent).stdout
    by_model = answer(environment, "eval", "--agent", agent, "--models", "usual,none")["models"]
    assert [(side["model"], side["right"], side["tokens"]) for side in by_model] == [("usual", 2, 0), ("none", 2, 0)]
    assert "usual, none" in docent(environment, "eval", "--agent", agent, "--models", "huge", code=2).stderr


def test_search_gives_tables_as_data(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    found = answer(environment, "search", "Which error codes are there?")
    tables = [table for chunk in found["chunks"] for table in chunk["tables"]]
    assert tables
    assert all(len(row) == len(tables[0]["rows"][0]) for row in tables[0]["rows"])


def test_doctor_finds_a_lost_index_and_reindex_mends_it(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    assert answer(environment, "doctor")["healthy"]
    for index in ("vectors", "keywords"):
        shutil.rmtree(Path(environment["DOCENT_DATA"]) / index)
        report = answer(environment, "doctor", code=1)
        assert any("docent reindex" in finding for finding in report["findings"])
        answer(environment, "reindex")
        report = answer(environment, "doctor")
        assert report["healthy"], report
        [agent] = report["agents"]
        assert agent["chunks"] == agent["vectors"] == agent["keywords"]


def test_an_estimate_says_what_contexts_would_cost_and_changes_nothing(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    before = answer(environment, "doctor")["agents"]
    prices = {"DOCENT_MODEL_PRICE_PROMPT": "2", "DOCENT_MODEL_PRICE_ANSWER": "10"}
    total = answer(environment | prices, "reindex", "--estimate")["total"]
    assert total["chunks"] == total["to_write"] == before[0]["chunks"]
    assert total["price"] == round((2 * total["prompt_tokens"] + 10 * total["answer_tokens"]) / 1_000_000, 4)
    assert answer(environment, "reindex", "--estimate")["total"]["price"] is None
    assert answer(environment, "doctor")["agents"] == before


def test_doctor_shows_no_secret(read_site: tuple[Environment, Any]) -> None:
    environment, _ = read_site
    secret = {"DOCENT_MODEL_URL": "http://127.0.0.1:1/v1", "DOCENT_MODEL_NAME": "m", "DOCENT_MODEL_KEY": "sk-secret"}
    secret |= {"DOCENT_JOBS_URL": "postgresql://docent:sk-secret@db.example/jobs"}
    assert "sk-secret" not in docent(environment | secret, "doctor", "--json", code=1).output  # nobody is at port 1


def test_the_snippet_names_the_agent(read_site: tuple[Environment, Any]) -> None:
    environment, crawled = read_site
    tag = docent(environment, "agent", "snippet", "--base", "https://docent.example/").stdout
    assert f'data-agent="{crawled["agent_id"]}"' in tag
    assert 'src="https://docent.example/widget/widget.js"' in tag


@pytest.fixture
def empty(tmp_path: Path) -> Environment:
    return {"DOCENT_DATA": str(tmp_path), "DOCENT_LOG_LEVEL": "error"}


def test_a_token_is_made_listed_without_its_secret_and_revoked(empty: Environment) -> None:
    made = answer(empty, "token", "create", "deploy script", "--scope", "read")
    assert made["token"].startswith("dct_")
    listed = docent(empty, "token", "list", "--json").stdout
    assert made["token"] not in listed
    docent(empty, "token", "revoke", made["id"])
    assert json.loads(docent(empty, "token", "list", "--json").stdout)["tokens"][0]["revoked_at"]


def test_an_operator_is_added_by_a_password_that_is_piped_in(empty: Environment) -> None:
    made = runner.invoke(cli, ["operator", "add", "Ann@Example.com"], env=empty, input="correct horse battery\n")
    assert (made.exit_code, "ann@example.com can sign in" in made.output) == (0, True), made.output
    short = runner.invoke(cli, ["operator", "password", "ann@example.com"], env=empty, input="short\n")
    assert (short.exit_code, "12 to 256" in short.output) == (2, True), short.output
    runner.invoke(
        cli, ["operator", "add", "bob@example.com", "--role", "viewer"], env=empty, input="another password\n"
    )
    docent(empty, "operator", "disable", "BOB@example.com")
    unknown = docent(empty, "operator", "disable", "eve@example.com", code=2)
    assert "docent operator list" in unknown.output
    listed = answer(empty, "operator", "list")["operators"]
    assert [(o["email"], o["role"], bool(o["disabled_at"])) for o in listed] == [
        ("ann@example.com", "admin", False),
        ("bob@example.com", "viewer", True),
    ]


def test_an_agent_is_made_published_and_allowed_on_a_website(empty: Environment) -> None:
    made = answer(empty, "agent", "create", "Helper")
    docent(empty, "agent", "allow", "https://www.example.com")
    [agent] = answer(empty, "agent", "list")["agents"]
    assert (agent["id"], agent["live_version"]) == (made["id"], 2)
    assert answer(empty, "agent", "curated") == {"curated_answers": []}


@pytest.mark.parametrize(
    ("words", "environment", "told"),
    [
        pytest.param(["ask", "hello"], {}, "docent crawl", id="no agent yet"),
        pytest.param(["ask", "  "], {}, "empty", id="no question"),
        pytest.param(["agent", "create", "x", "--origin", "example.com"], {}, "allowed_origins", id="not an origin"),
        pytest.param(["crawl", "http://127.0.0.1/"], {}, "not a public address (loopback)", id="a private address"),
        pytest.param(["crawl", "x", "--allow", "example.com:80"], {}, "DOCENT_CRAWL_ALLOW", id="a name to allow"),
        pytest.param(["doctor"], {"DOCENT_PORT": "many"}, "DOCENT_PORT", id="a setting that is no number"),
        pytest.param(["doctor"], {"DOCENT_MODEL_URL": "http://x/v1"}, "DOCENT_MODEL_NAME", id="half a model"),
        pytest.param(["demo", "--site", "ftp://example.com"], {}, "http and https", id="not a website"),
    ],
)
def test_bad_input_ends_with_a_message_that_names_the_fix(
    empty: Environment, words: list[str], environment: Environment, told: str
) -> None:
    result = runner.invoke(cli, words, env=empty | environment)
    assert result.exit_code in {1, 2}, result.output
    assert told in " ".join(result.output.split())
    assert "Traceback" not in result.output
