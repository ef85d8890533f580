"""A Git repository behind a real Git server, `git http-backend`, on the loopback address."""

import base64
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from crawler.address_policy import Endpoint
from tests.doubles.serving import serving


@dataclass
class GitServer:
    """`password` is what Basic access must name. `asked` has the method, the path and the body of each request;
    `moved` sends askers of a path elsewhere."""

    root: Path
    port: int
    password: str = ""
    asked: list[tuple[str, str, bytes]] = field(default_factory=list)
    tokens: list[str] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        return f"{self.origin}/docs.git"

    @property
    def allowed(self) -> list[Endpoint]:
        return [("127.0.0.1", self.port)]

    @property
    def work(self) -> Path:
        return self.root / "work"

    def git(self, *words: str) -> str:
        made_by = ["-c", "user.name=Ann", "-c", "user.email=ann@example.com", "-c", "init.defaultBranch=main"]
        done = subprocess.run(
            ["git", *made_by, *words], cwd=self.work, check=True, capture_output=True, env={**os.environ, **_ALONE}
        )
        return done.stdout.decode().strip()

    def commit(self, files: dict[str, str | bytes | None], branch: str = "main") -> None:
        """Write these files, or delete those that are None, and push."""
        for name, said in files.items():
            path = self.work / name
            if said is None:
                path.unlink()
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(said if isinstance(said, bytes) else said.encode())
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message", "Change")
        self.git("push", "--quiet", "origin", f"HEAD:refs/heads/{branch}")

    def fetches(self) -> list[bytes]:
        """The bodies of those requests that asked for objects."""
        return [body for _, _, body in self.asked if b"command=fetch" in body]


_ALONE = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


@contextmanager
def running_git_server(root: Path, leaves_files_out: bool = True) -> Iterator[GitServer]:
    """`leaves_files_out` is what most hosts allow: `uploadpack.allowFilter`."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    git = GitServer(root, server.server_address[1])
    git.work.mkdir()
    git.git("init", "--quiet")
    git.git("init", "--quiet", "--bare", str(root / "docs.git"))
    git.git("--git-dir", str(root / "docs.git"), "config", "uploadpack.allowFilter", str(leaves_files_out).lower())
    git.git("remote", "add", "origin", str(root / "docs.git"))
    server.RequestHandlerClass = _handler_for(git)
    with serving(server):
        yield git


def _handler_for(git: GitServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            token = self.headers.get("Authorization", "")
            git.asked.append((self.command, self.path, body))
            git.tokens.append(token)
            wanted = base64.b64encode(f"ann:{git.password}".encode()).decode() if git.password else ""
            if moved := git.moved.get(self.path):
                self.send_response(301)
                self.send_header("Location", moved)
                self.end_headers()
            elif wanted and token != f"Basic {wanted}":
                self.send_response(401)
                self.end_headers()
            else:
                self._answer(body)

        def do_POST(self) -> None:
            self.do_GET()

        def _answer(self, body: bytes) -> None:
            path, _, query = self.path.partition("?")
            told = {
                "GIT_PROJECT_ROOT": str(git.root),
                "GIT_HTTP_EXPORT_ALL": "1",
                "GIT_PROTOCOL": self.headers.get("Git-Protocol", ""),
                "PATH_INFO": path,
                "QUERY_STRING": query,
                "REQUEST_METHOD": self.command,
                "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
            }
            ran = subprocess.run(
                ["git", "http-backend"], input=body, capture_output=True, env={**os.environ, **_ALONE, **told}
            )
            head, _, said = ran.stdout.partition(b"\r\n\r\n")
            headers = dict(line.decode().split(": ", 1) for line in head.split(b"\r\n"))
            self.send_response(int(headers.pop("Status", "200").split()[0]))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            pass

    return Handler
