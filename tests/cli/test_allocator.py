"""Threads share what one of them has freed."""

import subprocess
import sys

import pytest

MANY_THREADS = """
import ctypes, sys, threading
from app.cli.serving.allocator import share_arenas
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
