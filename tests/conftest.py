"""What every test shares."""

from collections.abc import Iterator

import pytest
import structlog
from hypothesis import settings

from tests.doubles.remembered_statements import remember_statements

remember_statements()

settings.register_profile("docent", deadline=None)  # an example that is slow tells of a busy machine
settings.load_profile("docent")


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture(autouse=True)
def logging_as_found() -> Iterator[None]:
    """A command that ran in a test has chosen level and stream for its own lines only."""
    yield
    structlog.reset_defaults()
