"""The processor time of processes, which is nearly the same on a busy machine as on an idle one."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

_TICKS_A_SECOND: Final = os.sysconf("SC_CLK_TCK")


def processor_seconds(pid: int) -> float:
    """What the process and all that it has started have used so far, in all threads; of those that have ended as well,
    once their parent knows it."""
    spent = 0
    for each in reversed([*process_tree(pid)]):  # children first: one that ends meanwhile is its parent's by then
        try:
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        spent += sum(map(int, fields[11:15]))
    return spent / _TICKS_A_SECOND


def process_tree(pid: int) -> Iterator[int]:
    """The process and its descendants, parents first."""
    yield pid
    try:
        threads = [*Path(f"/proc/{pid}/task").iterdir()]
        children = [child for thread in threads for child in (thread / "children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return
    for child in children:
        yield from process_tree(int(child))
