"""The migration of a table is made from the table."""

from collections.abc import Iterator
from pathlib import Path
from runpy import run_path

import pytest
import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext

from app.store.engine import open_migration_engine
from app.store.migrate import newest_revision
from app.store.migrations import baseline
from app.store.schema import METADATA, Audited, StorableText, UtcDateTime, column, own_id, parent, table
from tests.store import baseline_writing
from tests.store.migration_writing import write_migration


@pytest.fixture
def pinned_notes() -> Iterator[sa.Table]:
    """A table that no migration makes yet."""
    made = table(
        "pinned_notes",
        Audited("pinned_note"),
        own_id(),
        parent("agent_id", "agents", index=True),
        column("title", StorableText),
        column("pinned_at", UtcDateTime, nullable=True),
    )
    yield made
    METADATA.remove(made)


def test_a_new_table_is_made_as_the_code_has_it(pinned_notes: sa.Table, tmp_path: Path) -> None:
    written = run_path(str(write_migration("pinned_notes", tmp_path)))
    assert written["down_revision"] == newest_revision()
    engine = open_migration_engine(sa.make_url(f"sqlite:///{tmp_path}/new.db"))
    with engine.begin() as connection, Operations.context(MigrationContext.configure(connection)):
        written["upgrade"]()
        seen = sa.inspect(connection)
        assert [each["name"] for each in seen.get_columns("pinned_notes")] == [
            each.name for each in pinned_notes.columns
        ]
        assert [each["name"] for each in seen.get_indexes("pinned_notes")] == ["ix_pinned_notes_agent_id"]
        written["downgrade"]()
        assert not sa.inspect(connection).has_table("pinned_notes")
    engine.dispose()


def test_it_says_whose_the_rows_are(pinned_notes: sa.Table, tmp_path: Path) -> None:
    assert "keep_apart('pinned_notes', 'agent_id', 'agents')" in write_migration("pinned_notes", tmp_path).read_text()


def test_there_is_none_where_nothing_has_changed(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Nothing has changed"):
        write_migration("nothing", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_file_of_the_baseline_says_all_that_its_tables_are() -> None:
    assert baseline_writing.written(baseline.METADATA) == baseline_writing.PATH.read_text("utf-8")
