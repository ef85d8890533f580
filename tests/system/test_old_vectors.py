"""A quiet installation: nobody writes, and what earlier writes left of the vectors goes all the same."""

import asyncio
from datetime import timedelta
from pathlib import Path

import pytest

from app.main import open_worker
from app.providers.indexes import lancedb_tables
from app.settings import read_settings
from tests.system.conftest import learnt_agent


async def test_a_worker_that_starts_removes_the_old_versions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = read_settings(data=tmp_path)
    await learnt_agent(settings)
    _, *old = versions_in(tmp_path / "vectors")
    assert len(old) > 2

    monkeypatch.setattr(lancedb_tables, "OLD_VERSIONS_KEPT", timedelta(milliseconds=1))
    async with open_worker(settings), asyncio.timeout(30):
        while set(old) & set(versions_in(tmp_path / "vectors")):  # noqa: ASYNC110 - the worker calls nobody
            await asyncio.sleep(0.05)


def versions_in(folder: Path) -> list[Path]:
    """The newest first, as their names count down."""
    return sorted(folder.glob("*.lance/_versions/*.manifest"))
