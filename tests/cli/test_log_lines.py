"""Log lines over hostile values: one event is one line, and nothing in it steers a terminal."""

import logging
import re
import sys

import pytest
import structlog

from app.cli.terminal import EscapedLines, configure_logging
from app.settings import read_settings

HOSTILE = "a\x1b[2Jb\x9b31mc\r\n2026-01-01T00:00:00Z [info     ] forged\u202e\u2028x\x00"
STEERING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


@pytest.mark.parametrize("log_format", ["text", "json"])
def test_nothing_that_is_logged_steers_a_terminal_or_begins_a_line(
    log_format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure_logging(read_settings(log_format=log_format))
    log = structlog.get_logger("docent.tests")
    log.warning(HOSTILE, url=HOSTILE, urls=[HOSTILE], by_name={HOSTILE: HOSTILE})
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        log.exception("failed", url=HOSTILE)
    assert_harmless(capsys.readouterr().err, holding=6)


def test_nor_what_libraries_log() -> None:
    lines = EscapedLines("%(levelname)s %(name)s: %(message)s")
    try:
        raise ValueError(HOSTILE)
    except ValueError:
        record = logging.LogRecord("library", logging.ERROR, "", 1, "It says %s", (HOSTILE,), sys.exc_info())
    assert_harmless(lines.format(record), holding=2)


def assert_harmless(written: str, *, holding: int) -> None:
    assert written.count("forged") >= holding
    assert not STEERING.search(written)
    assert not [line for line in written.splitlines() if line.startswith("2026-01-01T00:00:00Z [info")]
