import pytest

from tests.cases.case_rows import Row, UnknownFieldError, load_rows, parameters
from tests.cases.ssrf_cases import run_ssrf_row


@pytest.mark.parametrize("row", parameters(load_rows("ssrf_urls.jsonl")))
async def test_only_addresses_within_the_policy_are_dialled(row: Row) -> None:
    await run_ssrf_row(row)


async def test_a_retry_looks_the_name_up_again_and_refuses_what_it_rebinds_to() -> None:
    await run_ssrf_row(
        {
            "id": "retry after rebinding",
            "stage": "dns",
            "url": "http://host.example.org/",
            "dns": [["93.184.215.14"], ["127.0.0.1"]],
            "fail_first_connects": 1,
            "never_connect": ["127.0.0.1"],
            "must_connect": ["93.184.215.14:80"],
            "expected": "deny",
        }
    )


async def test_an_endless_answer_ends_with_a_reason_not_with_a_full_memory() -> None:
    await run_ssrf_row(
        {
            "id": "flood",
            "stage": "url",
            "url": "http://www.example.com/",
            "repeat_last_chunk_b64": "QUFBQUFBQUFBQUFBQUFBQQ==",
            "repeat_times": 10_000,
            "max_buffer_bytes": 65_536,
            "expected": "deny",
        }
    )


async def test_a_row_with_an_unknown_field_is_an_error_of_the_harness() -> None:
    with pytest.raises(UnknownFieldError):
        await run_ssrf_row({"id": "x", "stage": "url", "url": "", "expected": "deny", "moon": "full"})
