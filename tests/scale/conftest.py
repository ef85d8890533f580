from collections.abc import Iterator

import pytest

from tests.doubles.postgres_record import make_role
from tests.doubles.postgres_server import PostgresServer, running_postgres


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    with running_postgres() as running:
        make_role(running)
        yield running
