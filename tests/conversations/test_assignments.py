"""Whom a note names."""

from app.conversations.inbox import mentioned
from tests.every_row import every_row

TEAM = ("ann@example.com", "bob@example.com", "bob@other.example", "c.d+e@example.com")


@every_row(
    ("text", "named"),
    [
        ("@ann, look", ("ann@example.com",)),
        ("(@Ann)", ("ann@example.com",)),
        ("ask @ann@example.com.", ("ann@example.com",)),
        ("@c.d+e and @ann and @ann", ("c.d+e@example.com", "ann@example.com")),
        ("@bob", ()),
        ("@bob@other.example", ("bob@other.example",)),
        ("write to x@ann, to ann@example.com, or @annika", ()),
        ("@", ()),
    ],
    ids=["by name", "in brackets", "by address", "each once", "of two", "one of two", "no mention", "nobody"],
)
def test_a_name_after_an_at_sign_is_a_mention_where_it_is_one_persons(text: str, named: tuple[str, ...]) -> None:
    assert mentioned(text, TEAM) == named
