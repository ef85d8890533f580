"""A statement may be made before the tables that it does not name are imported."""

from sqlalchemy import Uuid

from app.store.schema import parent


def test_a_parents_id_is_bound_as_an_id_before_the_parents_table_is_there() -> None:
    assert isinstance(parent("its_id", "a_table_that_is_not_imported").type, Uuid)
