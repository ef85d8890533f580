"""Column types, and ids that sort by age."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy.dialects import sqlite

from app.store.schema import UtcDateTime, new_id, storable
from tests.every_row import every_row

_DIALECT = sqlite.dialect()


def test_a_moment_without_a_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="zone"):
        UtcDateTime().process_bind_param(datetime(2026, 1, 1), _DIALECT)  # noqa: DTZ001


def test_a_moment_is_stored_in_utc() -> None:
    paris = datetime(2026, 1, 1, 13, tzinfo=timezone(timedelta(hours=1)))
    assert UtcDateTime().process_bind_param(paris, _DIALECT) == datetime(2026, 1, 1, 12, tzinfo=UTC)


def test_a_moment_that_comes_back_without_a_zone_is_utc() -> None:
    naive = datetime(2026, 1, 1, 12)  # noqa: DTZ001
    assert UtcDateTime().process_result_value(naive, _DIALECT) == datetime(2026, 1, 1, 12, tzinfo=UTC)


@every_row(
    ("text", "stored"),
    [
        pytest.param("plain", "plain", id="plain text stays"),
        pytest.param("grüße \U0001f600", "grüße \U0001f600", id="so does any other"),
        pytest.param("a\x00b", "a\ufffdb", id="NUL"),
        pytest.param("a\ud83db", "a\ufffdb", id="half a surrogate pair"),
    ],
)
def test_text_that_no_database_holds_is_marked(text: str, stored: str) -> None:
    assert storable(text) == stored


def test_ids_sort_in_the_order_in_which_they_were_made() -> None:
    ids = [new_id() for _ in range(10_000)]
    assert ids == sorted(ids)
    assert len(set(ids)) == len(ids)
    assert {(made.version, made.variant) for made in ids} == {(7, "specified in RFC 4122")}
