"""What /metrics says of the process."""

from pathlib import Path

from prometheus_client import generate_latest
from sqlalchemy import text

from app.store.engine import open_engine
from app.store.processes import process_metrics


async def test_connections_are_counted_while_they_are_in_use(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'one.sqlite'}")
    registry = process_metrics(engine)
    with engine.connect() as connection:
        connection.execute(text("SELECT 1"))
        assert registry.get_sample_value("docent_record_connections") == 1
    assert registry.get_sample_value("docent_record_connections") == 0
    engine.dispose()


async def test_memory_descriptors_and_tasks_are_printed(tmp_path: Path) -> None:
    engine = open_engine(f"sqlite:///{tmp_path / 'one.sqlite'}")
    printed = generate_latest(process_metrics(engine)).decode()
    for name in ("process_resident_memory_bytes", "process_open_fds", "docent_tasks"):
        assert f"\n{name} " in printed
    engine.dispose()
