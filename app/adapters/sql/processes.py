"""Which of our processes live."""

from datetime import timedelta

from sqlalchemy import delete, select

from app.adapters.sql.models import ProcessRow
from app.adapters.sql.session import SqlFamily


class SqlProcesses(SqlFamily):
    async def beat(self, name: str, kind: str) -> None:
        now = self._now()
        statement = self._insert(ProcessRow).values(name=name, kind=kind, started_at=now, beaten_at=now)
        await self._session.execute(
            statement.on_conflict_do_update(index_elements=["name"], set_={"kind": kind, "beaten_at": now})
        )

    async def leave(self, name: str) -> None:
        await self._session.execute(delete(ProcessRow).where(ProcessRow.name == name))

    async def living(self, kind: str, within_seconds: int) -> set[str]:
        since = self._now() - timedelta(seconds=within_seconds)
        statement = select(ProcessRow.name).where(ProcessRow.kind == kind, ProcessRow.beaten_at >= since)
        return set(await self._session.scalars(statement))
