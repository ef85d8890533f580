"""`python -m bench.turn_size`: what a turn takes on disk, in bytes, by table and with its indexes.

A web process and its worker answer the questions that `bench.question` asks, without a chat model and each in a
conversation of its own, over the pages of the demonstration site. Counted is what the database has grown by once the
worker has done what follows from a turn: events are handed out, gaps and topics placed. Days are packed later, which
adds what docs/operations.md says.
"""

import argparse
import asyncio
import json
import sqlite3
import tempfile
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Final

from bench.demo_corpus import learnt
from bench.question import Asked, new_questions
from bench.results import leave_out
from bench.serving.web_process import PORT, WebProcess, own_environment

_CHUNKS: Final = 350  # of the site's pages, each once
_WORKER_SECONDS: Final = 60
_SIZES: Final = """
    SELECT tbl_name, sum(pgsize) FROM dbstat JOIN sqlite_master USING (name) GROUP BY tbl_name
"""
LEFT_TO_DO: Final = """
    SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM gaps WHERE placed_by IS NULL)
        + (SELECT count(*) FROM topic_questions WHERE topic_id IS NULL)
"""


async def measure() -> dict[str, float]:
    """Bytes a turn by table, most first."""
    own_environment()
    questions = new_questions()
    with tempfile.TemporaryDirectory(prefix="docent-turn-size-") as parent:
        folder = Path(parent)
        agent_id = await learnt(folder / "data", _CHUNKS)
        record = folder / "data" / "docent.sqlite"
        before = _sizes(record)
        environment = {"DOCENT_DATA": str(folder / "data"), "DOCENT_TRUSTED_PROXIES": "127.0.0.1"}
        command = ("app.cli", "serve", "--with-worker", "--port", PORT)
        server = WebProcess(environment, folder / "server.log", command=command)
        await server.start()
        try:
            await Asked(server, agent_id).ask(questions)
            await _worker_done(record)
        finally:
            await server.stop()
        grown = Counter(_sizes(record))
    grown.subtract(before)
    return {table: grew / len(questions) for table, grew in grown.most_common() if grew > 0}


def _sizes(record: Path) -> dict[str, int]:
    with closing(sqlite3.connect(record)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return dict(connection.execute(_SIZES))


def _options_of_sqlite() -> set[str]:
    with closing(sqlite3.connect(":memory:")) as connection:
        return {option for (option,) in connection.execute("PRAGMA compile_options")}


async def _worker_done(record: Path) -> None:
    async with asyncio.timeout(_WORKER_SECONDS):
        with closing(sqlite3.connect(f"file:{record}?mode=ro", uri=True)) as connection:
            while True:
                if not connection.execute(LEFT_TO_DO).fetchone()[0]:
                    return
                await asyncio.sleep(0.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="one object on one line")
    options = parser.parse_args()
    if "ENABLE_DBSTAT_VTAB" not in _options_of_sqlite():
        leave_out("disk_bytes_a_turn", "this Python's SQLite has no dbstat", as_json=options.json)
        return
    by_table = asyncio.run(measure())
    if options.json:
        print(json.dumps({"ratios": {"disk_bytes_a_turn": sum(by_table.values())}, "by_table": by_table}))
        return
    for table, size in by_table.items():
        print(f"{table:<24}{size:8,.0f}")
    print(f"{'together':<24}{sum(by_table.values()):8,.0f} bytes a turn")


if __name__ == "__main__":
    main()
