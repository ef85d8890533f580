"""How long the commands take: processor time (user and system) of whole processes, before and after a change.

    python -m bench.command_line                       this tree
    python -m bench.command_line --before REVISION     the tree of a revision beside it, in turns

Each command runs over the demonstration site, learnt once for each tree, so that both open what they made themselves.
Processor time and not wall time, for other programs run as well; the commands of both trees take turns, so that both
feel the same load. `serve` is timed to its first ready answer, and with it the commands that ask a running server.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.cli.demo.command import free_port
from app.cli.demo.site_server import serve_demo_site

QUESTION = "How long is the warranty on a station?"
COMMANDS: Mapping[str, Sequence[str]] = {
    "--help": ["--help"],
    "--version": ["--version"],
    "agent list": ["agent", "list"],
    "ask": ["ask", QUESTION, "--json"],
    "search": ["search", QUESTION, "--json"],
}
ASKED_OF_A_SERVER = ("ask", "search")
_HERE = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Tree:
    """A checkout and the data folder that it has made."""

    name: str
    root: Path
    data: Path

    def environment(self) -> dict[str, str]:
        own = {"PYTHONPATH": str(self.root), "DOCENT_DATA": str(self.data), "DOCENT_LOG_LEVEL": "error"}
        return os.environ | own | {"DOCENT_CRAWL_DELAY_SECONDS": "0"}

    def seconds(self, words: Sequence[str]) -> float | None:
        """Of processor time; None where the command failed."""
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(self.command(words), env=self.environment(), cwd=self.data, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime if done.returncode == 0 else None

    def command(self, words: Sequence[str]) -> list[str]:
        # By what `docent` does: the checkout's own package, whatever is installed.
        start = f"import sys; sys.path.insert(0, {str(self.root)!r}); from app.cli import main; main()"
        return [sys.executable, "-c", start, *words]

    @contextmanager
    def serving(self) -> Iterator[float]:
        """A server until the block is left; gives the processor seconds that it took to be ready."""
        port = free_port(None)
        process = subprocess.Popen(
            self.command(["serve", "--port", str(port)]),
            env=self.environment(),
            cwd=self.data,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            while not _is_ready(port):
                if process.poll() is not None:
                    raise SystemExit(f"{self.name}: the server ended with {process.returncode}")
                time.sleep(0.02)
            yield _processor_seconds(process.pid)
        finally:
            process.terminate()
            process.wait()


def _is_ready(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def _processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def revision_tree(revision: str, folder: Path) -> Iterator[Path]:
    """A checkout of it, beside ours."""
    root = folder / "before"
    git = ["git", "-C", str(_HERE)]
    subprocess.run([*git, "worktree", "add", "--quiet", "--detach", str(root), revision], check=True)
    try:
        yield root
    finally:
        subprocess.run([*git, "worktree", "remove", "--force", str(root)], check=True)


def measured(trees: Sequence[Tree], rounds: int) -> dict[str, dict[str, list[float]]]:
    """Seconds by command and tree."""
    found: dict[str, dict[str, list[float]]] = {}

    def note(command: str, tree: Tree, seconds: float | None) -> None:
        if seconds is not None:
            found.setdefault(command, {}).setdefault(tree.name, []).append(seconds)

    for _ in range(rounds):
        for name, words in COMMANDS.items():
            for tree in trees:
                note(name, tree, tree.seconds(words))
        for tree in trees:
            with tree.serving() as ready:
                note("serve, until ready", tree, ready)
                for name in ASKED_OF_A_SERVER:
                    note(f"{name}, beside a server", tree, tree.seconds(COMMANDS[name]))
    return found


def _learn(trees: Sequence[Tree]) -> None:
    with serve_demo_site() as site:
        allowed = site.base.removeprefix("http://")
        for tree in trees:
            tree.data.mkdir()
            if tree.seconds(["crawl", f"{site.base}/", "--allow", allowed, "--json"]) is None:
                raise SystemExit(f"{tree.name}: the demonstration site was not learnt")


def _line(seconds: Sequence[float]) -> str:
    return f"{statistics.median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", metavar="REVISION", help="measure this revision beside the tree")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="one object on one line")
    options = parser.parse_args()
    with ExitStack() as closing:
        folder = Path(closing.enter_context(tempfile.TemporaryDirectory(prefix="docent-bench-")))
        trees = [Tree("after", _HERE, folder / "data-after")]
        if options.before:
            root = closing.enter_context(revision_tree(options.before, folder))
            trees.insert(0, Tree("before", root, folder / "data-before"))
        _learn(trees)
        found = measured(trees, options.rounds)
    if options.json:
        print(json.dumps(found))
        return
    print(f"Processor seconds, median of {options.rounds} (least to most)")
    for command, by_tree in found.items():
        print(f"  {command:<24}" + "   ".join(f"{name} {_line(seconds)}" for name, seconds in by_tree.items()))


if __name__ == "__main__":
    main()
