"""The processor time of a process and of what it has started."""

import os
import subprocess
import sys

from bench.serving.processor_time import process_tree, processor_seconds

_BUSY = "import time\nwhile time.process_time() < 0.3: pass\n"


def test_it_counts_children_that_have_ended() -> None:
    before = processor_seconds(os.getpid())
    subprocess.run([sys.executable, "-c", _BUSY], check=True)
    assert processor_seconds(os.getpid()) - before >= 0.28


def test_it_counts_children_that_still_run() -> None:
    words = [sys.executable, "-c", f"{_BUSY}print('busy', flush=True)\ninput()"]
    before = processor_seconds(os.getpid())
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout
        child.stdout.readline()
        assert child.pid in process_tree(os.getpid())
        assert processor_seconds(os.getpid()) - before >= 0.28
        child.communicate(b"\n")


def test_a_process_that_is_gone_has_used_nothing() -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    assert processor_seconds(ended.pid) == 0
