"""Tables that several modules of records use, or the store itself: one module per subject. A table that one module of
records alone uses is in that module, above its repository. Each is imported with the first repository that needs it,
because a command needs few.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Final

import sqlalchemy as sa

from app.store.schema import METADATA, OfVisitors

_APP: Final = Path(__file__).resolve().parents[2]


@cache
def all_tables() -> sa.MetaData:
    """Every table, for code that handles the database as a whole. The first call imports every module of records."""
    for path in sorted(_APP.rglob("*.py")):
        parts = path.relative_to(_APP.parent).with_suffix("").parts
        if "records" in parts or parts[:-1] == ("app", "store", "tables"):
            import_module(".".join(parts).removesuffix(".__init__"))
    return METADATA


@cache
def tables_of_visitors() -> Mapping[sa.Table, OfVisitors]:
    """Tables whose rows are erased with a visitor, children before their parents."""
    tables = reversed(all_tables().sorted_tables)
    return {table: table.info[OfVisitors] for table in tables if OfVisitors in table.info}
