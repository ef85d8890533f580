"""The tables, a module a subject. Each is imported with the first repository that needs it: a command needs few."""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import sqlalchemy as sa

from app.store.tables.columns import METADATA, OfVisitors


def all_tables() -> sa.MetaData:
    """Every table, for whoever looks at the database as a whole."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return METADATA


@cache
def tables_of_visitors() -> Mapping[sa.Table, OfVisitors]:
    """Those whose rows go with a visitor, each before those that its rows go with."""
    tables = reversed(all_tables().sorted_tables)
    return {table: table.info[OfVisitors] for table in tables if OfVisitors in table.info}
