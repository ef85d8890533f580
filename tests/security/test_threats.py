"""docs/security.md names the tests that show what stops each threat; tests/test_docs.py checks that there are such."""

from tests.every_row import every_row
from tests.security.threats import Threat, threats


def test_the_page_has_its_table() -> None:
    assert len(threats()) > 20


@every_row("threat", threats(), ids=lambda threat: f"{threat.who}: {threat.wants_to}")
def test_every_threat_names_a_test(threat: Threat) -> None:
    assert threat.tests
