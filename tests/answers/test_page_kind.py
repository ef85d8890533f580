"""What a page's address tells of whose statement it is."""

from app.answers.writing.answer_context import Source
from app.answers.writing.passage_odds import kind_odds
from tests.every_row import every_row


@every_row(
    ("path", "is_report"),
    [
        ("news/prices", True),
        ("blog/", True),
        ("careers.html", True),
        ("aktuelles/preise", True),
        ("fr/actualités/prix", True),
        ("kb/2021/09/mail", True),
        ("kb/2021-09-21-mail", True),
        ("help/prices", False),
        ("newspaper/prices", False),
        ("products/2021", False),
    ],
)
def test_news_posts_and_job_advertisements_weigh_less(path: str, *, is_report: bool) -> None:
    source = Source(1, f"https://x.example/{path}", "Prices", "A lamp costs 9 euros.")
    assert (kind_odds(source) < 0) is is_report
