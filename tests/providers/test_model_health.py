"""A chat model that fails for everybody becomes an alert; one that stumbles does not."""

from contextlib import suppress

import anyio
import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from app.core.errors import ModelInterrupted, ModelUnavailable
from app.providers.chat.model_health import ModelHealth, WatchedChatModel, watch_model_health
from tests.contracts.chat_model_contract import read
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.scripted_chat_model import ScriptedChatModel, Step

AWAY = ModelUnavailable("The model refused the API key (401).")


async def ask(model: WatchedChatModel) -> None:
    with suppress(ModelUnavailable, ModelInterrupted):
        await read(model)


async def after(*replies: tuple[Step, ...]) -> ModelHealth:
    health = ModelHealth(FixedClock())
    model = WatchedChatModel(ScriptedChatModel(*replies), health)
    for _ in replies:
        await ask(model)
    return health


async def test_a_model_that_never_answered_is_an_alert_with_its_first_failure() -> None:
    alert = (await after((AWAY,))).alert

    assert alert is not None
    assert (alert.failures, alert.since, alert.reason) == (1, FixedClock().now(), str(AWAY))


@pytest.mark.parametrize(("failures", "is_alert"), [(2, False), (3, True)])
async def test_a_model_that_has_answered_must_fail_three_times_in_a_row(failures: int, is_alert: bool) -> None:
    health = await after(("Ten days.",), *[(AWAY,)] * failures)

    assert (health.alert is not None) is is_alert


@pytest.mark.parametrize(("failures", "is_alert"), [(2, False), (3, True)])
async def test_a_model_that_never_answered_may_refuse_the_prompts_of_a_visitor(failures: int, is_alert: bool) -> None:
    health = await after(*[(ModelUnavailable("It is too long.", is_of_prompt=True),)] * failures)

    assert (health.alert is not None) is is_alert


async def test_a_failure_after_a_refused_prompt_is_an_alert() -> None:
    assert (await after((ModelUnavailable("It is too long.", is_of_prompt=True),), (AWAY,))).alert is not None


async def test_one_answer_ends_the_alert() -> None:
    assert (await after((AWAY,), (AWAY,), ("Ten days.",))).alert is None


async def test_an_answer_that_breaks_off_is_a_failure() -> None:
    assert (await after(("Ten", ModelInterrupted("It broke off.")))).alert is not None


async def test_a_call_that_its_caller_ends_says_nothing() -> None:
    health = ModelHealth(FixedClock())
    model = WatchedChatModel(ScriptedChatModel(("Ten", anyio.Event())), health)

    with anyio.move_on_after(0.01):
        await read(model)

    assert health.alert is None


async def test_alert_and_recovery_are_each_one_line_in_the_log_and_a_gauge() -> None:
    health, metrics = ModelHealth(FixedClock()), CollectorRegistry()
    watch_model_health(metrics, health)
    model = WatchedChatModel(ScriptedChatModel((AWAY,), (AWAY,), ("Ten days.",)), health)

    with capture_logs() as lines:
        await ask(model)
        await ask(model)
        assert metrics.get_sample_value("docent_chat_model_failing") == 1
        await ask(model)

    assert [(line["event"], line["log_level"]) for line in lines] == [
        ("model.failing", "error"),
        ("model.recovered", "info"),
    ]
    assert metrics.get_sample_value("docent_chat_model_failing") == 0
