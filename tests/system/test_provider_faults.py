"""What visitors get, and what is stored, when chat providers fail in every way we know: through the whole service, with
two fake providers on live sockets."""

import asyncio
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from app.main import open_app
from app.settings import read_settings
from tests.doubles.fake_openai import Answer, Babble, Complain, FakeOpenAI, Raw, Refuse, Say, Stall, Tear
from tests.doubles.metrics_reader import METRICS_TOKEN, read_metrics
from tests.system.conftest import Running, learnt_agent
from tests.web.live_server import serving

QUESTION = "How long is the warranty of a lamp?"
BEGUN = ("The warranty ", "is ")
SIGN_OF_LIFE = b": still here\n\n"
FIRST_WORDS = b'data: {"choices": [{"index": 0, "delta": {"content": "The warranty is "}}]}\n\n'

before_the_first_token = pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Refuse(429, {"retry-after": "30"}), id="over its rate limit"),
        pytest.param(Refuse(500), id="server error"),
        pytest.param(Refuse(503), id="unavailable"),
        pytest.param(Refuse(401), id="wrong key"),
        pytest.param(Stall([]), id="silence"),
        pytest.param(Raw([SIGN_OF_LIFE], repeat_last=100, pace_seconds=0.1), id="signs of life without a word"),
        pytest.param(Tear([]), id="torn stream"),
        pytest.param(Complain([]), id="error object"),
        pytest.param(Babble([]), id="no JSON"),
        pytest.param(Babble([], '{"choices": 7}'), id="JSON of another kind"),
        pytest.param(Say([]), id="empty answer"),
    ],
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("providers")


@pytest.fixture(scope="module")
def agent_id(folder: Path) -> str:
    return asyncio.run(learnt_agent(read_settings(data=folder)))


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[FakeOpenAI, FakeOpenAI]]:
    with FakeOpenAI().running() as first, FakeOpenAI().running() as second:
        yield first, second


@pytest.fixture
def first(servers: tuple[FakeOpenAI, FakeOpenAI]) -> FakeOpenAI:
    return servers[0]


@pytest.fixture
def second(servers: tuple[FakeOpenAI, FakeOpenAI]) -> FakeOpenAI:
    servers[1].plays(Say(["3 years [1]."]))
    return servers[1]


@asynccontextmanager
async def served(folder: Path, agent_id: str, *providers: str, fault: Answer | None = None) -> AsyncIterator[Running]:
    """With these chat endpoints, the first of which is asked first. How long is waited for one is short only where the
    fault is that it takes long: an endpoint that is well may be slow for a moment where the machine is busy."""
    names = ("model", "fallback_model")
    models = {f"{name}_url": url for name, url in zip(names, providers, strict=False)}
    models |= {f"{name}_name": name for name, _ in zip(names, providers, strict=False)}
    silence, answer = (1.5, 4.5) if isinstance(fault, Stall | Raw | Say) else (20, 60)
    settings = read_settings(
        metrics_token=METRICS_TOKEN,
        data=folder,
        model_silence_seconds=silence,
        model_answer_seconds=answer,
        shutdown_seconds=1,
        **models,
    )
    async with open_app(settings) as web, serving(web.app) as (_, http):
        yield Running(http, agent_id, folder)


async def ask(running: Running) -> tuple[list[dict[str, object]], tuple[str, str]]:
    """The events, and the stored turn: its state and its answer's text."""
    turn_id = str(uuid4())
    async with (await running.visitor()).asking(QUESTION, turn_id) as reader:
        events = await reader.rest()
    query = (
        "SELECT t.state, m.text FROM turns t JOIN messages m ON m.turn_id = t.id AND m.role = 'agent' WHERE t.id = ?"
    )
    [stored] = running.rows(query, UUID(turn_id).bytes)
    return events, (stored[0], stored[1])


def said(events: list[dict[str, object]]) -> str:
    return "".join(str(event["token"]) for event in events if event["event"] == "token")


@before_the_first_token
async def test_before_the_first_token_the_next_provider_answers(
    folder: Path, agent_id: str, first: FakeOpenAI, second: FakeOpenAI, fault: Answer
) -> None:
    first.plays(fault)
    async with served(folder, agent_id, first.url, second.url, fault=fault) as running:
        events, stored = await ask(running)
    assert (events[-1]["event"], events[-1]["answered_by"]) == ("done", "model")
    assert stored == ("done", "3 years [1].")
    assert (len(first.asked), len(second.asked)) == (_times_asked(fault), 1)


@before_the_first_token
async def test_without_another_provider_the_pages_own_words_answer(
    folder: Path, agent_id: str, first: FakeOpenAI, fault: Answer
) -> None:
    first.plays(fault)
    async with served(folder, agent_id, first.url, fault=fault) as running:
        events, stored = await ask(running)
    assert (events[-1]["event"], events[-1]["answered_by"]) == ("done", "extractive")
    assert stored == ("done", said(events))
    assert "3 years" in stored[1]
    assert len(first.asked) == _times_asked(fault)


def _times_asked(fault: Answer) -> int:
    """A provider that is busy for a moment is asked once more."""
    return 2 if isinstance(fault, Refuse) and fault.status == 503 else 1


async def test_a_provider_that_refuses_connections_is_passed_over(
    folder: Path, agent_id: str, second: FakeOpenAI
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))  # bound and not listening: nobody else may take the port
        nobody = f"http://127.0.0.1:{closed.getsockname()[1]}/v1"
        async with served(folder, agent_id, nobody, second.url) as running:
            events, stored = await ask(running)
    assert events[-1]["answered_by"] == "model"
    assert stored == ("done", "3 years [1].")


async def test_when_every_provider_fails_the_pages_own_words_answer(
    folder: Path, agent_id: str, first: FakeOpenAI, second: FakeOpenAI
) -> None:
    first.plays(Refuse(500))
    second.plays(silent := Stall([]))
    async with served(folder, agent_id, first.url, second.url, fault=silent) as running:
        events, stored = await ask(running)
    assert events[-1]["answered_by"] == "extractive"
    assert stored == ("done", said(events))
    assert (len(first.asked), len(second.asked)) == (1, 1)


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(Tear(BEGUN), id="torn stream"),
        pytest.param(Stall(BEGUN), id="silence"),
        pytest.param(Complain(BEGUN), id="error object"),
        pytest.param(Babble(BEGUN), id="no JSON"),
        pytest.param(Babble(BEGUN, '{"choices": 7}'), id="JSON of another kind"),
        pytest.param(
            Raw([FIRST_WORDS, SIGN_OF_LIFE], repeat_last=100, pace_seconds=0.1), id="signs of life without a word"
        ),
        pytest.param(Say(["The warranty is ", *["very "] * 200], pace_seconds=0.05), id="slow drip"),
    ],
)
async def test_after_the_first_token_what_was_shown_is_kept_and_no_other_provider_is_asked(
    folder: Path, agent_id: str, first: FakeOpenAI, second: FakeOpenAI, fault: Answer
) -> None:
    first.plays(fault)
    async with served(folder, agent_id, first.url, second.url, fault=fault) as running:
        events, stored = await ask(running)
    assert (events[-1]["event"], events[-1]["code"], events[-1]["retryable"]) == ("error", "model_interrupted", True)
    assert stored == ("failed", said(events))
    assert stored[1].startswith("The warranty is")
    assert (len(first.asked), len(second.asked)) == (1, 0)


async def test_a_provider_that_failed_three_times_in_a_row_is_asked_no_more(
    folder: Path, agent_id: str, first: FakeOpenAI
) -> None:
    first.plays(Refuse(500))
    async with served(folder, agent_id, first.url) as running:
        answers = [(await ask(running))[0][-1]["answered_by"] for _ in range(5)]
        metrics = await read_metrics(running.http)
    assert answers == ["extractive"] * 5
    assert len(first.asked) == 3
    assert 'docent_circuit_open{part="model"} 1.0' in metrics


async def test_a_provider_that_names_a_time_is_left_alone_for_it(
    folder: Path, agent_id: str, first: FakeOpenAI
) -> None:
    first.plays(Refuse(429, {"retry-after": "30"}), Say(["3 years [1]."]))
    async with served(folder, agent_id, first.url) as running:
        answers = [(await ask(running))[0][-1]["answered_by"] for _ in range(2)]
    assert answers == ["extractive"] * 2
    assert len(first.asked) == 1
