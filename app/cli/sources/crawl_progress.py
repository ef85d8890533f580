"""Progress bars of crawls and of series of questions."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

from app.cli.terminal import err


@contextmanager
def crawl_progress() -> Iterator[Callable[[Mapping[str, int]], None]]:
    """Show a bar while the block runs. Yields a function that takes the run's page counts by status."""
    columns = (SpinnerColumn(), TextColumn("Reading"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as progress:
        bar = progress.add_task("Reading", total=None)

        def show(counts: Mapping[str, int]) -> None:
            seen = sum(counts.values())
            progress.update(bar, total=seen or None, completed=seen - counts.get("queued", 0))

        yield show


@contextmanager
def asking_progress() -> Iterator[Callable[[int, int], None]]:
    """Show a bar while the block runs. Yields a function that takes the questions asked so far and their total."""
    columns = (TextColumn("Asking"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=err) as progress:
        bar = progress.add_task("Asking", total=None)
        yield lambda done, of: progress.update(bar, completed=done, total=of)


def in_words(counts: Mapping[str, int]) -> str:
    """Page counts as text: "59 indexed, 1 not found"."""
    return ", ".join(f"{count} {status.replace('_', ' ')}" for status, count in counts.items()) or "nothing was read"
