"""What a command prints arrives whole, also by a pipe that does not block and has a slow reader."""

import gc
import io
import os
import select
import sys
from collections.abc import Iterator
from threading import Thread
from typing import Any

import pytest
import typer

from app import cli

LONG = "x" * 300_000  # a pipe takes 65,536 at once


@pytest.fixture
def collection() -> Iterator[None]:
    """`main` changes it for its process."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


@pytest.mark.usefixtures("collection")
def test_a_reader_that_begins_late_gets_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    read, wait = bytearray(), select.select

    def read_all() -> None:
        with open(reading, "rb") as pipe:
            read.extend(pipe.read())

    reader = Thread(target=read_all)

    def begin_to_read(*given: Any) -> Any:
        """Once the pipe is full."""
        if reader.ident is None:
            reader.start()
        return wait(*given)

    monkeypatch.setattr(select, "select", begin_to_read)
    monkeypatch.setattr(cli, "cli", lambda: typer.echo(LONG))
    with io.TextIOWrapper(io.BufferedWriter(io.FileIO(writing, "w"))) as given:
        monkeypatch.setattr(sys, "stdout", given)
        cli.main()
        given.close()
        reader.join()
    assert read.decode() == f"{LONG}\n"
