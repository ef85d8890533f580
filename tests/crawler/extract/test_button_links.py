"""A button that leads somewhere is a link; one that does something on the page is no text."""

from crawler.extract.extraction import extract_page
from tests.crawler.extract.test_extraction import FILLER
from tests.every_row import every_row

FORM = "[Visa form](https://x.example/visa)"


def _read(html: str) -> str:
    page = extract_page(
        f"<main><h1>Visa</h1><p>{FILLER}</p>{html}<p>{FILLER}</p></main>".encode(), "https://x.example/help", None
    )
    return page.markdown.removeprefix("# Visa").replace(FILLER.strip(), "").strip()


@every_row(
    "html",
    [
        "<p><a role=button href=/visa>Visa form</a></p>",
        "<a href=/visa><button>Visa form</button></a>",
        "<p><a class='btn btn-primary' href=/visa>Visa form</a></p>",
        "<div class=buttons><a class=button href=/visa>Visa form</a></div>",
        """<button onclick="location.href='/visa'">Visa form</button>""",
        """<button onclick="window.open('https://x.example/visa', '_blank'); return false">Visa form</button>""",
        """<div role=button onclick="window.location = '/visa'">Visa form</div>""",
        """<input type=button value="Visa form" onclick="document.location.assign('/visa')">""",
        "<form action=/visa><button>Visa form</button></form>",
        "<form action=/visa method=get><input type=submit value='Visa form'></form>",
    ],
)
def test_a_button_that_leads_to_another_page_is_a_link(html: str) -> None:
    assert _read(html) == FORM


@every_row(
    "html",
    [
        "<button>Copy</button>",
        "<button onclick='show(this)'>Show more</button>",
        "<a role=button href='#'>Menu</a>",
        "<a role=button href='javascript:show()'>Menu</a>",
        "<form action=/search><input name=q><button>Search</button></form>",
        "<form action=/cart><input type=hidden name=id value=7><button>Add to cart</button></form>",
        "<form action=/out method=post><button>Log out</button></form>",
        "<form action=/a><button>One</button><button>Two</button></form>",
        """<button onclick="location.href='/visa'"><img src=x.png></button>""",
    ],
)
def test_other_buttons_are_no_text(html: str) -> None:
    assert _read(html) == ""


def test_a_page_behind_a_button_is_crawled() -> None:
    html = b"""<p>Text</p><button onclick="location.href='visa'">Visa form</button>"""
    assert extract_page(html, "https://x.example/help/", None).links == ("https://x.example/help/visa",)
