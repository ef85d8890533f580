"""SQLite as every test opens it: what SQLAlchemy has compiled for one database is used for the next one.

A server opens its database once. A test opens one of its own, and would compile each of its statements anew, which took
a third of the time of tests with a record.

Nobody pulls the plug during a test either, so commits are not waited for until they are on the disk: a test had some 20
of them. Once a connection is opened, as the product opens it, it goes without.
"""

from typing import Any, Final, cast

from sqlalchemy import Engine, event
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.engine.interfaces import CompiledCacheType
from sqlalchemy.util import LRUCache

_STATEMENTS: Final = 5000

_compiled = cast(CompiledCacheType, LRUCache(_STATEMENTS))


class SharedSqliteDialect(SQLiteDialect_pysqlite):
    """All of them compile a statement the same way, so they are one key in the cache."""

    supports_statement_cache = True  # SQLAlchemy asks each class for it

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))

    @classmethod
    def engine_created(cls, engine: Engine) -> None:
        engine.update_execution_options(compiled_cache=_compiled)
        event.listen(engine, "checkout", _wait_for_no_disk)


def _wait_for_no_disk(connection: Any, record: Any, _proxy: Any) -> None:
    if "waits_for_no_disk" not in record.info:
        connection.execute("PRAGMA synchronous = OFF")
        record.info["waits_for_no_disk"] = True


def remember_statements() -> None:
    """Of all databases that this process opens from now on."""
    registry.register("sqlite.pysqlite", __name__, SharedSqliteDialect.__name__)
