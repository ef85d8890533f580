"""PostgreSQL's manual as a website: the HTML of Debian's postgresql-doc-15 on a port of 127.0.0.1.

`apt install postgresql-doc-15`. A machine without it fails the tests.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FOLDER = Path("/usr/share/doc/postgresql-doc-15/html")

# What somebody who runs a database or writes queries reads: the tutorial, SQL, administration, commands. The patterns
# name every page and the budget has room for more, so the order of reading decides nothing.
CHAPTERS = (
    *("/index.html", "/sql.html", "/admin.html", "/appendixes.html", "/contrib.html", "/tutorial*", "/reference*"),
    *("/queries*", "/ddl*", "/dml*", "/datatype*", "/indexes*", "/textsearch*", "/mvcc*", "/transaction-iso.html"),
    *("/explicit-*", "/performance-tips.html", "/using-explain.html", "/planner-stats*", "/populate.html"),
    *("/non-durability.html", "/parallel-*", "/runtime*", "/server-*", "/kernel-resources.html", "/upgrading.html"),
    *("/creating-cluster.html", "/auth-*", "/client-authentication*", "/user-manag.html", "/role-*", "/manag*"),
    *("/database-roles.html", "/predefined-roles.html", "/charset.html", "/locale.html", "/collation.html"),
    *("/multibyte.html", "/maintenance.html", "/routine-*", "/logfile-maintenance.html", "/backup*", "/wal*"),
    *("/continuous-archiving.html", "/high-availability.html", "/warm-standby*", "/hot-standby.html", "/monitoring*"),
    *("/progress-reporting.html", "/disk*", "/checksums.html", "/logical-replication*", "/config-setting.html"),
    *("/app-*", "/sql-commands.html", "/sql-insert.html", "/sql-update.html", "/sql-delete.html", "/sql-merge.html"),
    *("/sql-select.html", "/sql-copy.html", "/sql-grant.html", "/sql-vacuum.html", "/sql-explain.html"),
    *("/sql-analyze.html", "/sql-lock.html", "/sql-truncate.html", "/sql-reindex.html", "/sql-createtable.html"),
    *("/sql-createindex.html", "/sql-createrole.html", "/sql-createview.html", "/sql-creatematerializedview.html"),
    *("/sql-altertable.html", "/sql-altersystem.html", "/pgstatstatements.html", "/auto-explain.html"),
    *("/pgtrgm.html", "/pgupgrade.html", "/pgbuffercache.html", "/limits.html", "/glossary.html"),
)
MAX_PAGES = 400


@dataclass(frozen=True, slots=True)
class Manual:
    """The running website. `endpoint` is "127.0.0.1:PORT"."""

    endpoint: str

    @property
    def origin(self) -> str:
        return f"http://{self.endpoint}"

    @property
    def start(self) -> str:
        return f"{self.origin}/index.html"


class _Handler(SimpleHTTPRequestHandler):
    """Plain files with their dates; the pages say their encoding themselves."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or each body waits 40 ms for its head's acknowledgement

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
        """Nobody reads it."""


@contextmanager
def manual_online() -> Iterator[Manual]:
    """Online until the block ends."""
    assert FOLDER.is_dir(), f"{FOLDER} is missing: apt install postgresql-doc-15"
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(FOLDER)))
    server.daemon_threads = True
    thread = threading.Thread(target=partial(server.serve_forever, poll_interval=0.05), daemon=True)
    thread.start()
    try:
        yield Manual(f"127.0.0.1:{server.server_port}")
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
