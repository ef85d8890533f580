"""The tables, one module per subject. Each is imported with the first repository that needs it, because a command needs
few.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import sqlalchemy as sa

from app.store.schema import METADATA, OfVisitors


def all_tables() -> sa.MetaData:
    """Every table, for code that handles the database as a whole."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return METADATA


@cache
def tables_of_visitors() -> Mapping[sa.Table, OfVisitors]:
    """Tables whose rows are erased with a visitor, children before their parents."""
    tables = reversed(all_tables().sorted_tables)
    return {table: table.info[OfVisitors] for table in tables if OfVisitors in table.info}
