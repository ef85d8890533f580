"""Threads share what one of them has freed, and connections leave files for the rest."""

import resource
import subprocess
import sys

import pytest

from app.kit.process_limits import connections_that_fit


@pytest.mark.parametrize(
    ("soft", "hard", "wanted", "fit", "raised_to"),
    [
        pytest.param(20_000, 20_000, 2000, 2000, None, id="enough as it is"),
        pytest.param(1024, 524_288, 2000, 2000, 2256, id="raised"),
        pytest.param(256, resource.RLIM_INFINITY, 2000, 2000, 2256, id="raised, without a hard limit"),
        pytest.param(1024, 1024, 2000, 768, 1024, id="fewer, for it may not be raised"),
        pytest.param(256, 400, 2000, 200, 400, id="half of very few"),
        pytest.param(resource.RLIM_INFINITY, resource.RLIM_INFINITY, 2000, 2000, None, id="no limit"),
    ],
)
def test_connections_leave_files_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, soft: int, hard: int, wanted: int, fit: int, raised_to: int | None
) -> None:
    told: list[tuple[int, int]] = []
    monkeypatch.setattr(resource, "getrlimit", lambda _: (soft, hard))
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: told.append(limits))
    assert connections_that_fit(wanted) == fit
    assert told == ([] if raised_to is None else [(raised_to, hard)])


MANY_THREADS = """
import ctypes, sys, threading
from app.kit.process_limits import share_arenas
if sys.argv[1] == "shared":
    share_arenas()
barrier = threading.Barrier(6)
def allocate():
    kept = bytes(1_000)
    barrier.wait()
threads = [threading.Thread(target=allocate) for _ in range(6)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
ctypes.CDLL(None).malloc_stats()
"""


def arenas(how: str) -> int:
    said = subprocess.run([sys.executable, "-c", MANY_THREADS, how], check=True, capture_output=True, text=True)
    return said.stderr.count("Arena ")


@pytest.mark.skipif("linux" not in sys.platform, reason="glibc's setting")
def test_threads_that_start_afterwards_bring_no_arenas() -> None:
    assert arenas("shared") <= arenas("of their own") - 4  # some came with threads of the libraries


PRODUCT = """
import os, sys
sys.argv = ["docent", "--version"]
from app.cli import main
try:
    main()
except SystemExit:
    pass
import numpy
rows = numpy.ones((500, 500), dtype=numpy.float32)
rows @ rows
print(len(os.listdir("/proc/self/task")))
"""


@pytest.mark.skipif("linux" not in sys.platform, reason="its way of listing threads")
def test_products_of_vectors_wake_no_threads_on_other_cores() -> None:
    said = subprocess.run([sys.executable, "-c", PRODUCT], check=True, capture_output=True, text=True)
    assert said.stdout.split()[-1] == "1"
