from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from app.sources.runs.jobs.dbos_job_queue import DbosJobQueue
from app.store.system_of_record import SystemOfRecord
from tests.doubles.fixed_clock import FixedClock
from tests.doubles.temporary_record import temporary_record
from tests.processes.recording_handlers import RecordingHandlers


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'jobs.sqlite'}"


@pytest.fixture
async def record(tmp_path: Path) -> AsyncIterator[SystemOfRecord]:
    async with temporary_record(tmp_path, FixedClock()) as opened:
        yield opened


@pytest.fixture
async def queue(url: str) -> AsyncIterator[DbosJobQueue]:
    async with DbosJobQueue(url) as opened:
        yield opened


@pytest.fixture
def handlers() -> RecordingHandlers:
    return RecordingHandlers()
