from collections.abc import AsyncIterator

import pytest

from app.web.limits_policy import StreamPolicy
from tests.cases.case_rows import Row, load_rows, parameters
from tests.cases.sse_encode_cases import run_encode_row
from tests.web.house import VisitorHttp, open_house

ROWS = load_rows("sse_cases.jsonl")


@pytest.fixture(scope="module", params=[0.03, 0], ids=["gathering", "each token alone"])
async def reader(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[VisitorHttp]:
    streams = StreamPolicy(coalesce_seconds=request.param)
    async with open_house(tmp_path_factory.mktemp("sse"), streams=streams) as house:
        yield await house.visitor()


def test_every_row_is_of_a_kind_that_is_run() -> None:
    assert {row["kind"] for row in ROWS} <= {"encode", "decode", "upstream"}


@pytest.mark.parametrize("row", parameters([row for row in ROWS if row["kind"] == "encode"]))
async def test_what_the_model_wrote_is_what_the_visitor_reads(row: Row, reader: VisitorHttp) -> None:
    await run_encode_row(row, reader)
