from app.core.page_url import host_of, is_same_page
from tests.every_row import every_row


@every_row(
    "other",
    [
        "http://shop.example/help",
        "https://www.shop.example/help/",
        "https://SHOP.example/help#returns",
        "https://shop.example/help/index.html",
    ],
)
def test_spellings_of_one_page(other: str) -> None:
    assert is_same_page("https://shop.example/help", other)


@every_row("other", ["https://shop.example/help?id=2", "https://other.example/help", "https://shop.example/", ""])
def test_other_pages(other: str) -> None:
    assert not is_same_page("https://shop.example/help", other)


def test_a_broken_url_has_no_host() -> None:
    assert host_of("https://[broken") == ""
