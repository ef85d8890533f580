"""Pages that are not the page they pretend to be: each is left out with a reason of its own."""

import pytest

from tests.misbehaving.conftest import Crawl
from tests.misbehaving.raw_server import RawSite, answer, page

LOGIN_FORM = (
    "<html><head><title>Log in</title></head><body><main><h1>Please log in</h1><p>You need an account to go on.</p>"
    '<form method="post"><input name="user"><input type="password" name="p"><button>Log in</button></form></main>'
)
ERROR_PAGE = (
    "<html><head><title>{title}</title></head><body><main><h1>{title}</h1>"
    "<p>The page that you were looking for has moved, or was never here. Go back to the start.</p></main>"
)


@pytest.mark.parametrize(
    "title",
    ["404", "Page not found", "Error 404 (Not Found)", "404 - Seite nicht gefunden", "Page introuvable", "Not Found"],
)
def test_an_error_page_that_claims_success_is_a_soft_404(title: str, site: RawSite, crawl: Crawl) -> None:
    site.serves("/", page("/old"))
    site.serves("/old", ERROR_PAGE.format(title=title))
    outcome, reason = crawl().pages["/old"]
    assert outcome == "soft_404"
    assert "says that it was not found" in reason


def test_a_page_about_errors_is_a_page(site: RawSite, crawl: Crawl) -> None:
    explained = "<p>A 404 means that the server has no page at this address. " + "It can be mended by a redirect. " * 60
    site.serves("/", f"<title>What does 404 Not Found mean?</title><main><h1>404 Not Found explained</h1>{explained}")
    assert crawl().pages["/"][0] == "fetched"


@pytest.mark.parametrize("target", ["/login", "/users/sign_in?next=%2Fsecret", "/wp-login.php", "/account/login/"])
def test_a_redirect_to_the_login_is_a_login_wall(target: str, site: RawSite, crawl: Crawl) -> None:
    site.serves("/", page("/secret"))
    site.redirects("/secret", target)
    site.serves(target, LOGIN_FORM)
    outcome, reason = crawl().pages["/secret"]
    assert outcome == "login_wall"
    assert "login" in reason


def test_a_login_form_in_place_of_the_page_is_a_login_wall(site: RawSite, crawl: Crawl) -> None:
    site.serves("/", LOGIN_FORM)
    assert crawl().pages["/"][0] == "login_wall"


def test_a_page_with_a_login_in_its_corner_is_a_page(site: RawSite, crawl: Crawl) -> None:
    form = '<form><input name="user"><input type="password"></form>'
    words = "Our bakery opens at six in the morning, and the bread is warm until nine. " * 20
    site.serves("/", f"<title>Bakery</title><header>{form}</header><main><h1>Bakery</h1><p>{words}</p></main>")
    assert crawl().pages["/"][0] == "fetched"


@pytest.mark.parametrize("status", [401, 403])
def test_a_page_that_asks_who_we_are_is_a_login_wall(status: int, site: RawSite, crawl: Crawl) -> None:
    site.says("/", *answer(page(), status, www_authenticate="Basic"))
    assert crawl().pages["/"][0] == "login_wall"


@pytest.mark.parametrize(
    "shell",
    [
        '<div id="root"></div><script src="/app.js"></script>',
        '<noscript>You need to enable JavaScript to run this app.</noscript><div id="app"></div><script src="/a.js">',
        "<app-root></app-root><script type=module>import('/main.js')</script>",
        '<p>Please enable JavaScript to view this page.</p><div id="__next"></div><script src="/a.js"></script>',
    ],
)
def test_a_shell_that_a_script_would_fill_is_javascript_only(shell: str, site: RawSite, crawl: Crawl) -> None:
    site.serves("/", f"<html><head><title>App</title></head><body>{shell}</body></html>")
    outcome, reason = crawl().pages["/"]
    assert outcome == "javascript_only"
    assert "JavaScript" in reason


def test_a_page_without_words_and_without_scripts_is_empty(site: RawSite, crawl: Crawl) -> None:
    site.serves("/", '<html><body><img src="/map.png"></body></html>')
    report = crawl()
    assert report.pages["/"] == ("empty_text", "the page has no main text")


def test_the_same_page_at_many_addresses_is_read_once(site: RawSite, crawl: Crawl) -> None:
    copies = [f"/copy{number}" for number in range(5)]
    site.serves("/", page(*copies))
    for copy in copies:
        site.serves(copy, '<link rel="canonical" href="/the-one">' + page(text="The very same words. " * 9))
    report = crawl()
    read = [path for path, (outcome, _) in report.pages.items() if outcome == "fetched"]
    assert len(read) == 2
    assert sum(outcome == "duplicate" for outcome, _ in report.pages.values()) == 4
