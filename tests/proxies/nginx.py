"""A real nginx before a server: `apt install nginx-light`. A machine without one fails the tests."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.nemesis.docent_processes import free_port

_CONFIG = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr {severity};
events {{ worker_connections 4096; }}
http {{
  log_format upstreams '$request_method\t$uri\t$upstream_addr\t$status';
  access_log {access_log};
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {http}
}}
"""
_SERVER = """
server {{
  listen 127.0.0.1:{port};
  {server}
  location {path} {{
    proxy_pass {upstream};
    {location}
  }}
}}
"""
_START_SECONDS = 60


@contextmanager
def nginx(upstream: str, *, path: str = "/", location: str = "", server: str = "") -> Iterator[str]:
    """With its defaults, buffering on, beside what `location` and `server` add. Yields where it listens.

    Below `path`, which it strips where `upstream` ends with a slash; every other address is nginx's own 404.
    """
    port = free_port()
    told = {"upstream": upstream, "path": path, "location": location, "server": server}
    with running_nginx(port, _SERVER.format(port=port, **told)):
        yield f"http://127.0.0.1:{port}"


@contextmanager
def running_nginx(port: int, http: str, requests: Path | None = None) -> Iterator[int]:
    """`http` is what stands in its block of that name, with a server that listens on `port`. Each request that has
    ended adds a line to the file `requests`: method, path, the addresses that were asked for an answer, status. Yields
    its pid."""
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    assert program, "nginx is not installed: apt install nginx-light"
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder, "nginx.conf")
        # Where machines are killed on purpose, nginx has much to say of them.
        severity, access_log = ("error", "off") if requests is None else ("emerg", f"{requests} upstreams")
        config.write_text(_CONFIG.format(folder=folder, http=http, severity=severity, access_log=access_log))
        process = subprocess.Popen([program, "-e", "stderr", "-p", folder, "-c", str(config)])
        try:
            _wait_for(port, process)
            yield process.pid
        finally:
            process.terminate()
            process.wait(_START_SECONDS)


def _wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    give_up_at = time.monotonic() + _START_SECONDS
    while True:
        assert process.poll() is None, "nginx did not start"
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < give_up_at, "nginx does not listen"
            continue
        return
