"""Looks for words in everything that a SQLite record has on disk."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class StoredBytes:
    """`folder` has docent.sqlite."""

    folder: Path

    def texts(self) -> Iterator[tuple[str, str]]:
        """Every value of every table, with the table's name."""
        with closing(sqlite3.connect(self.folder / "docent.sqlite")) as connection:
            tables = [name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")]
            for table in tables:
                for row in connection.execute(f'select * from "{table}"'):
                    yield from ((table, value.hex() if isinstance(value, bytes) else str(value)) for value in row)

    def tables_with(self, *words: str) -> set[str]:
        return {table for table, value in self.texts() for word in words if word in value}

    def files_with(self, word: str) -> list[str]:
        found = sorted(self.folder.glob("docent.sqlite*"))
        return [path.name for path in found if word.encode() in path.read_bytes()]

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        with closing(sqlite3.connect(self.folder / "docent.sqlite")) as connection:
            return connection.execute(statement).fetchall()
