"""Which of our processes live, by the database's time: their own clocks may differ."""

from datetime import datetime

from sqlalchemy import ColumnElement, delete, select

from app.store.database_time import database_time
from app.store.models import ProcessRow
from app.store.transaction import Repository


class ProcessRecords(Repository):
    """`name` is unique to one start of one process; `kind` is "web" or "worker"."""

    async def beat(self, name: str, kind: str) -> float:
        """The process lives now. Returns the seconds since its last beat, 0 at its first."""
        now = self._database_time()
        last = (await self._session.execute(select(ProcessRow.beaten_at, now).where(ProcessRow.name == name))).first()
        statement = self._insert(ProcessRow).values(name=name, kind=kind, started_at=now, beaten_at=now)
        await self._session.execute(
            statement.on_conflict_do_update(index_elements=["name"], set_={"kind": kind, "beaten_at": now})
        )
        return max(0.0, (last[1] - last[0]).total_seconds()) if last else 0.0

    async def leave(self, name: str) -> None:
        """The process ends in good order."""
        await self._session.execute(delete(ProcessRow).where(ProcessRow.name == name))

    async def living(self, kind: str, within_seconds: int) -> set[str]:
        """Names that have beaten in that time."""
        since = self._database_time(within_seconds)
        statement = select(ProcessRow.name).where(ProcessRow.kind == kind, ProcessRow.beaten_at >= since)
        return set(await self._session.scalars(statement))

    def _database_time(self, seconds_ago: int = 0) -> ColumnElement[datetime]:
        return database_time(self._session.get_bind().dialect.name, seconds_ago=seconds_ago)
