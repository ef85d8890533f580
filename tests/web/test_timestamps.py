"""Moments and days in queries and bodies: as RFC 3339 writes them, and in no other way."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from app.web.operation import Day, Model, Timestamp
from tests.every_row import every_row


class Dated(Model):
    moment: Timestamp | None = None
    day: Day | None = None


@pytest.mark.parametrize("moment", ["2026-01-31T12:00:00Z", "2026-01-31T12:00:00.5+02:00"])
def test_a_moment_is_read(moment: str) -> None:
    assert Dated.model_validate_strings({"moment": moment}) == Dated.model_validate_json(json.dumps({"moment": moment}))


@every_row("wrong", [0, 1.5, 1_700_000_000, True, "0.5", "1700000000", "-1", "now", "", "20260131", []])
@every_row("field", ["moment", "day"])
def test_a_number_is_none(field: str, wrong: Any) -> None:
    with pytest.raises(ValidationError):
        Dated.model_validate_json(json.dumps({field: wrong}))
    with pytest.raises(ValidationError):
        Dated.model_validate_strings({field: str(wrong)})


def test_a_moment_without_a_zone_is_none_and_a_day_needs_none() -> None:
    with pytest.raises(ValidationError):
        Dated.model_validate_json('{"moment": "2026-01-31T12:00:00"}')
    assert str(Dated.model_validate_json('{"day": "2026-01-31"}').day) == "2026-01-31"
