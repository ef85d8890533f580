"""What every test shares."""

import gc
import os
import sys
from collections.abc import Iterator

import pytest
import structlog
from hypothesis import settings

from tests.doubles.remembered_statements import remember_statements

gc.disable()  # until the first test: modules are garbage to nobody
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as the product's commands do, before anything imports numpy
remember_statements()
# Of what a test logs without configuring anything; to draw a traceback in boxes takes as long as ten tests.
structlog.get_config()["processors"][-1].exception_formatter = structlog.dev.plain_traceback

# An example that is slow tells of a busy machine. `make test-long` plays more of them.
settings.register_profile("docent", deadline=None, max_examples=int(os.environ.get("DOCENT_EXAMPLES", "30")))
settings.load_profile("docent")


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    if "app.bootstrap.infrastructure" in sys.modules:  # a run of tests that open no application need not import it
        from tests.doubles.remembered_migrations import remember_migrations
        from tests.doubles.remembered_paths import remember_paths
        from tests.doubles.remembered_weights import remember_weights

        remember_migrations()
        remember_paths()
        remember_weights()
    # What is there before the first test stays to the end, with what little of it is garbage: to look for that takes a
    # second, and no collection looks through its million objects again.
    gc.freeze()
    gc.set_threshold(50_000, 10, 20)  # an application of a test is gone before it counts as old
    gc.enable()


@pytest.fixture(scope="session")
def anyio_backend() -> str:
    """Async tests run on asyncio, as the product does."""
    return "asyncio"


@pytest.fixture(scope="session", autouse=True)
def shared_runs(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Test processes of one run lie below one folder, and a process alone has its own."""
    if "tests.doubles.remembered_weights" in sys.modules:
        from tests.doubles.remembered_weights import share_runs

        own = tmp_path_factory.getbasetemp()
        share_runs((own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "model_runs")


@pytest.fixture(autouse=True)
def logging_as_found() -> Iterator[None]:
    """A command that ran in a test has chosen level and stream for its own lines only."""
    yield
    structlog.reset_defaults()
