"""A real nginx before a server: `apt install nginx-light`. A machine without one fails the tests."""

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_CONFIG = """
daemon off;
worker_processes 1;
pid {folder}/nginx.pid;
error_log stderr;
events {{ worker_connections 256; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  server {{
    listen 127.0.0.1:{port};
    {server}
    location {path} {{
      proxy_pass {upstream};
      {location}
    }}
  }}
}}
"""
_START_SECONDS = 10


@contextmanager
def nginx(upstream: str, *, path: str = "/", location: str = "", server: str = "") -> Iterator[str]:
    """With its defaults, buffering on, beside what `location` and `server` add. Yields where it listens.

    Below `path`, which it strips where `upstream` ends with a slash; every other address is nginx's own 404.
    """
    program = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    assert program, "nginx is not installed: apt install nginx-light"
    with socket.socket() as free, tempfile.TemporaryDirectory() as folder:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        config = Path(folder, "nginx.conf")
        told = {"upstream": upstream, "path": path, "location": location, "server": server}
        config.write_text(_CONFIG.format(folder=folder, port=port, **told))
        process = subprocess.Popen([program, "-e", "stderr", "-p", folder, "-c", str(config)])
        try:
            _wait_for(port, process)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait(10)


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
