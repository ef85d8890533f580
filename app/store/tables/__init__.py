"""The tables, a module a subject. Each is imported with the first repository that needs it: a command needs few."""

from importlib import import_module
from pkgutil import iter_modules

from sqlalchemy import MetaData

from app.store.tables.columns import METADATA


def all_tables() -> MetaData:
    """Every table, for whoever looks at the database as a whole."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")
    return METADATA
