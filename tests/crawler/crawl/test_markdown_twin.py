"""Where a page stands whose Markdown was read."""

from crawler.crawl.page_visit import is_markdown_address, linked_canonical, pages_of_markdown
from tests.every_row import every_row

SITE = "https://shop.example"


@every_row(
    ("markdown", "pages"),
    [
        ("/guide.md", ["/guide", "/guide.html"]),
        ("/guide.html.md", ["/guide.html"]),
        ("/docs/index.html.md", ["/docs/"]),
        ("/docs/index.md?plain=1#top", ["/docs/"]),
        ("/docs/README.md", ["/docs/"]),
        ("/guide.mdx", ["/guide", "/guide.html"]),
        ("/index.md", ["/"]),
    ],
)
def test_the_page_stands_beside_its_markdown(markdown: str, pages: list[str]) -> None:
    assert is_markdown_address(f"{SITE}{markdown}")
    assert pages_of_markdown(f"{SITE}{markdown}") == [f"{SITE}{page}" for page in pages]


@every_row("url", ["/guide", "/guide.html", "/?file=a.md", "/md", "/a.md/b"])
def test_another_address_has_none_beside_it(url: str) -> None:
    assert not is_markdown_address(f"{SITE}{url}")
    assert pages_of_markdown(f"{SITE}{url}") == []


@every_row(
    ("header", "page"),
    [
        (f'<{SITE}/a>; rel="canonical"', f"{SITE}/a"),
        ("</a>; rel=canonical", f"{SITE}/a"),
        ('</style.css>; rel="preload", </a>; title="x"; rel="canonical"', f"{SITE}/a"),
        ('</a>; rel="alternate"', None),
        ('<http://[x>; rel="canonical"', None),
        ("canonical", None),
        ("", None),
    ],
)
def test_a_header_may_name_it(header: str, page: str | None) -> None:
    assert linked_canonical(header, f"{SITE}/a.md") == page
