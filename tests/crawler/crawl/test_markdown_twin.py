"""Where a page stands whose Markdown was read."""

import pytest

from crawler.crawl.markdown_twin import is_markdown_address, linked_canonical, page_of_markdown

SITE = "https://shop.example"


@pytest.mark.parametrize(
    ("markdown", "page"),
    [
        ("/guide.md", "/guide"),
        ("/guide.html.md", "/guide.html"),
        ("/docs/index.html.md", "/docs/"),
        ("/docs/index.md?plain=1#top", "/docs/"),
        ("/docs/README.md", "/docs/"),
        ("/guide.mdx", "/guide"),
        ("/index.md", "/"),
    ],
)
def test_the_page_stands_beside_its_markdown(markdown: str, page: str) -> None:
    assert is_markdown_address(f"{SITE}{markdown}")
    assert page_of_markdown(f"{SITE}{markdown}") == f"{SITE}{page}"


@pytest.mark.parametrize("url", ["/guide", "/guide.html", "/?file=a.md", "/md", "/a.md/b"])
def test_another_address_has_none_beside_it(url: str) -> None:
    assert not is_markdown_address(f"{SITE}{url}")
    assert page_of_markdown(f"{SITE}{url}") is None


@pytest.mark.parametrize(
    ("header", "page"),
    [
        (f'<{SITE}/a>; rel="canonical"', f"{SITE}/a"),
        ("</a>; rel=canonical", f"{SITE}/a"),
        ('</style.css>; rel="preload", </a>; title="x"; rel="canonical"', f"{SITE}/a"),
        ('</a>; rel="alternate"', None),
        ("canonical", None),
        ("", None),
    ],
)
def test_a_header_may_name_it(header: str, page: str | None) -> None:
    assert linked_canonical(header, f"{SITE}/a.md") == page
