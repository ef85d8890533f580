"""More workspaces than the product makes by itself."""

from datetime import UTC, datetime
from pathlib import Path
from uuid import UUID, uuid4

from sqlalchemy import insert

from app.store.engine import open_engine
from app.store.tables.agents import WORKSPACES


async def another_workspace(folder: Path) -> UUID:
    """A workspace of its own in `folder`/docent.sqlite."""
    workspace_id = uuid4()
    engine = open_engine(f"sqlite:///{folder / 'docent.sqlite'}")
    try:
        with engine.begin() as connection:
            connection.execute(insert(WORKSPACES).values(id=workspace_id, name="other", created_at=datetime.now(UTC)))
    finally:
        engine.dispose()
    return workspace_id
