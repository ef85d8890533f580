from collections.abc import Iterator

import pytest

from tests.doubles.postgres_record import make_role
from tests.doubles.postgres_server import PostgresServer, running_postgres
from tests.scale.object_store import ObjectStore, running_object_store


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    with running_postgres() as running:
        make_role(running)
        yield running


@pytest.fixture(scope="session")
def store() -> Iterator[ObjectStore]:
    with running_object_store() as running:
        yield running
