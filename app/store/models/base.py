"""What every table shares."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import Date, ForeignKey, MetaData, Uuid
from sqlalchemy.orm import DeclarativeBase, Mapped, MappedColumn, mapped_column

from app.store.time_ordered_id import new_id
from app.store.types import StorableText, UtcDateTime


class Base(DeclarativeBase):
    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map = {str: StorableText(), datetime: UtcDateTime(), date: Date(), UUID: Uuid()}  # noqa: RUF012


class HasId:
    """A row of its own, named by a UUID that sorts by age."""

    id: Mapped[UUID] = mapped_column(primary_key=True, default=new_id, sort_order=-1)


def parent(target: str, *, index: bool = True) -> MappedColumn[UUID]:
    """A parent whose erasure erases this row. `index` is False where another index begins with the column. The type
    stands there, for the parent's table may not be imported yet."""
    return mapped_column(Uuid(), ForeignKey(f"{target}.id", ondelete="CASCADE"), index=index)
