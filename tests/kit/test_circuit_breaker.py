"""When a part that fails is left alone, and when it is tried again."""

import asyncio
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, generate_latest

from app.kit.circuit_breaker import CircuitBreaker, CircuitOpen
from app.kit.meters import CircuitMeter


class Away(Exception):
    """What the part raises."""


class Part:
    """Something behind a circuit, on a clock that the test moves."""

    def __init__(self, meter: CircuitMeter | None = None) -> None:
        self.moment = 0.0
        self.calls = 0
        self.circuit = CircuitBreaker(
            "part", cool_down_seconds=10, now=lambda: self.moment, on_change=meter.watch("part") if meter else None
        )

    def call(self, error: BaseException | None = None) -> None:
        with self.circuit.call(Away):
            self.calls += 1
            if error:
                raise error

    def fails(self, times: int) -> None:
        for _ in range(times):
            with pytest.raises(Away):
                self.call(Away())


def test_three_failures_in_a_row_open_it_and_the_part_is_left_alone() -> None:
    part = Part()
    part.fails(3)

    with pytest.raises(CircuitOpen) as refused:
        part.call()

    assert part.calls == 3
    assert refused.value.retry_after_seconds == 10


def test_a_success_between_failures_starts_the_count_again() -> None:
    part = Part()
    part.fails(2)
    part.call()
    part.fails(2)

    assert not part.circuit.is_open


def test_an_error_of_another_kind_is_an_answer_of_the_part() -> None:
    part = Part()
    part.fails(2)
    with pytest.raises(ValueError, match="no"):
        part.call(ValueError("no"))
    part.fails(2)

    assert not part.circuit.is_open


def test_after_the_cool_down_a_success_closes_it() -> None:
    part = Part()
    part.fails(3)
    part.moment = 10
    part.call()
    part.fails(2)

    assert not part.circuit.is_open


def test_after_the_cool_down_one_failure_opens_it_again() -> None:
    part = Part()
    part.fails(3)
    part.moment = 10
    part.fails(1)
    part.moment = 19.9

    with pytest.raises(CircuitOpen):
        part.call()


def test_only_one_call_tries_at_a_time() -> None:
    part = Part()
    part.fails(3)
    part.moment = 10

    with part.circuit.call(Away), pytest.raises(CircuitOpen):
        part.call()
    part.call()

    assert part.calls == 4


def test_a_cancelled_try_leaves_its_place_to_another() -> None:
    part = Part()
    part.fails(3)
    part.moment = 10
    with pytest.raises(asyncio.CancelledError):
        part.call(asyncio.CancelledError())

    part.call()

    assert not part.circuit.is_open


@pytest.mark.parametrize("late", [None, Away()], ids=["a late success", "a late failure"])
def test_what_began_before_it_opened_decides_nothing_afterwards(late: Away | None) -> None:
    part = Part()
    slow = part.circuit.call(Away)
    slow.__enter__()
    part.fails(3)
    part.moment = 10
    with part.circuit.call(Away):  # the try
        slow.__exit__(type(late) if late else None, late, None)
        assert part.circuit.is_open
        with pytest.raises(CircuitOpen):
            part.call()

    assert not part.circuit.is_open


def test_a_part_that_names_a_time_is_left_alone_for_it() -> None:
    part = Part()
    part.circuit.open_for(30)
    part.moment = 29.9
    with pytest.raises(CircuitOpen):
        part.call()
    part.moment = 30
    part.call()


def test_operators_see_what_is_left_alone_and_how_often() -> None:
    registry = CollectorRegistry()
    part = Part(CircuitMeter(registry))
    assert b'docent_circuit_open{part="part"} 0.0' in generate_latest(registry)
    part.fails(3)
    assert b'docent_circuit_open{part="part"} 1.0' in generate_latest(registry)
    part.moment = 10
    part.fails(1)
    part.moment = 20
    part.call()
    text = generate_latest(registry)
    assert b'docent_circuit_open{part="part"} 0.0' in text
    assert b'docent_circuit_openings_total{part="part"} 1.0' in text


def test_a_part_behind_several_circuits_is_left_alone_while_any_of_them_is_open() -> None:
    registry = CollectorRegistry()
    meter = CircuitMeter(registry)
    first, second = Part(meter), Part(meter)
    first.fails(3)
    second.fails(3)
    second.moment = 10
    second.call()
    Part(meter)
    text = generate_latest(registry)
    assert b'docent_circuit_open{part="part"} 1.0' in text
    assert b'docent_circuit_openings_total{part="part"} 2.0' in text


@given(st.lists(st.tuples(st.sampled_from(["fail", "succeed", "cancel"]), st.floats(0, 8)), max_size=60))
def test_it_does_what_the_picture_says(steps: list[tuple[str, float]]) -> None:
    """Beside a model that counts failures and knows when it may be tried again."""
    part, in_a_row, shut_until = Part(), 0, None
    outcomes: dict[str, BaseException | None] = {"fail": Away(), "succeed": None, "cancel": asyncio.CancelledError()}
    for outcome, seconds in steps:
        part.moment += seconds
        made = part.calls
        with suppress(Away, CircuitOpen, asyncio.CancelledError):
            part.call(outcomes[outcome])
        if shut_until is not None and part.moment < shut_until:
            assert part.calls == made
            continue
        assert part.calls == made + 1
        if outcome == "succeed":
            in_a_row, shut_until = 0, None
        elif outcome == "fail":
            in_a_row += 1
            if in_a_row >= 3 or shut_until is not None:
                in_a_row, shut_until = 0, part.moment + 10
        assert part.circuit.is_open == (shut_until is not None)
