"""A client that gets access tokens, as a setting has it."""

import pytest

from app.kit.token_client import TokenClient, token_client
from tests.every_row import every_row


def test_the_query_has_the_client() -> None:
    written = (
        "https://login.example.com/t/token?client_id=c&refresh_token=a%2Bb&scope=https%3A%2F%2Fmail.example.com%2F%20x"
    )
    assert token_client(written) == TokenClient(
        "https://login.example.com/t/token", "c", "https://mail.example.com/ x", refresh_token="a+b"
    )
    assert token_client("") is None


@every_row(
    "written",
    [
        "login.example.com?client_id=c&refresh_token=r",
        "https:///token?client_id=c&refresh_token=r",
        "https://login.example.com/token?client_id=c",
        "https://login.example.com/token?refresh_token=r",
        "https://login.example.com/token?client_id=c&refresh_token=r&tenant=t",
    ],
)
def test_another_spelling_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="write it as https://HOST"):
        token_client(written)
