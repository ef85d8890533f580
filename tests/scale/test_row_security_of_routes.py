"""Where every query forgets whose rows it is about, no answer of the API has a row of another workspace."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import BinaryExpression, Engine, event, true
from sqlalchemy.sql.visitors import replacement_traverse

from app.channels.program_questions import program
from tests.doubles.postgres_record import CopiesOnPostgres
from tests.doubles.postgres_server import PostgresServer
from tests.web.house import Belongings, open_house
from tests.web.route_examples import furnish
from tests.web.test_isolation import LOOKS, Tenants, call, plant, the_other_house

OF_SOMEBODY = [endpoint for endpoint in LOOKS if endpoint.access.scheme or endpoint.access is program]


@pytest.fixture(scope="module")
async def belongings(tmp_path_factory: pytest.TempPathFactory) -> tuple[Belongings, Tenants]:
    """Two tenants with the same words, of which one has the marker."""
    folder = tmp_path_factory.mktemp("tenants")
    async with open_house(folder, widget_files=folder) as house:
        ours = await furnish(house)
        theirs = await furnish(await the_other_house(house))
        plant(folder, theirs.house.agent.id)
    return Belongings.left_in(folder, house), Tenants(folder, ours, theirs)


async def looked_at(
    tmp_path: Path, opened: CopiesOnPostgres, belongings: tuple[Belongings, Tenants]
) -> dict[str, list[str]]:
    """What of theirs our tokens show, by operation, where no query of ours asks for the workspace any more."""
    kept, tenants = belongings
    found: dict[str, list[str]] = {}
    async with open_house(tmp_path, widget_files=tmp_path, belongings=kept, opened=opened) as house:
        ours = replace(tenants.ours, house=house)
        with without_filters():
            for endpoint in OF_SOMEBODY:
                theirs = {**tenants.theirs.ids, **tenants.theirs.own_ids.get(endpoint.operation, {})}
                named = {name: theirs[name] for name in endpoint.path_ids}
                for path in {ours.path(endpoint), ours.path(endpoint, **named)}:
                    response = await call(ours, endpoint, path, ours.headers(endpoint))
                    if leaks := tenants.leaks(response):
                        found[endpoint.operation] = leaks
    return found


@contextmanager
def without_filters() -> Iterator[None]:
    """Every comparison of a workspace's id is true."""

    def forget(element: Any, **_: Any) -> Any:
        if isinstance(element, BinaryExpression) and getattr(element.left, "name", "") == "workspace_id":
            return true()
        return None

    def execute(_connection: Any, statement: Any, parameters: Any, more: Any, _options: Any) -> Any:
        return replacement_traverse(statement, {}, forget), parameters, more

    event.listen(Engine, "before_execute", execute, retval=True)
    try:
        yield
    finally:
        event.remove(Engine, "before_execute", execute)


async def test_without_any_filter_of_ours_no_answer_has_a_row_of_theirs(
    tmp_path: Path, server: PostgresServer, belongings: tuple[Belongings, Tenants]
) -> None:
    assert await looked_at(tmp_path, CopiesOnPostgres(server), belongings) == {}


async def test_it_is_the_role_that_keeps_them_out(
    tmp_path: Path, server: PostgresServer, belongings: tuple[Belongings, Tenants]
) -> None:
    """Else the test above shows nothing."""
    shown = await looked_at(tmp_path, CopiesOnPostgres(server, role=""), belongings)
    assert len(shown) > len(OF_SOMEBODY) / 2
