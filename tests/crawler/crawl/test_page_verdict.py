from crawler.crawl.page_visit import not_the_page
from crawler.extract.extraction import extract_page
from crawler.extract.page import Outcome
from crawler.url_rules import check_url
from tests.every_row import every_row

ASKED = "https://shop.example/hours"
FORM = '<form><input name="user"><input type="password"></form>'
LONG = "<p>We open at nine every morning and close at six, but for Sundays. " * 20


def verdict(html: str, final: str = ASKED) -> Outcome | None:
    refusal = not_the_page(extract_page(html.encode(), final, "utf-8"), check_url(ASKED), check_url(final))
    return refusal.outcome if refusal else None


@every_row(
    ("html", "outcome"),
    [
        (f"<title>Opening hours</title><main>{LONG}</main>", None),
        ("<title>Opening hours</title><main><p>From nine to six.</main>", None),
        ("<title>Page not found | Shop</title><main><p>Nothing is here.</main>", Outcome.SOFT_404),
        ("<title>Shop</title><main><h1>Error 404</h1><p>Nothing is here.</main>", Outcome.SOFT_404),
        (f"<title>404 Not Found</title><main>{LONG}</main>", None),
        ("<title>Lost and found</title><main><p>Umbrellas, mostly.</main>", None),
        (f"<title>Sign in</title><main><p>Welcome back.</p>{FORM}</main>", Outcome.LOGIN_WALL),
        (f"<title>Opening hours</title>{FORM}<main><p>From nine to six.</main>", None),
        (f"<title>Log in to your account</title>{FORM}<main>{LONG}</main>", None),
        ('<body><div id="root"></div><script src="/a.js"></script>', Outcome.JAVASCRIPT_ONLY),
        ("<body><noscript>Please enable JavaScript.</noscript><script></script>", Outcome.JAVASCRIPT_ONLY),
        ('<body><div id="root"></div><p>Loading...</p><script src="/a.js"></script>', Outcome.JAVASCRIPT_ONLY),
        ("<body><p>This site requires JavaScript to work.</p><script src=/a.js></script>", Outcome.JAVASCRIPT_ONLY),
        (
            "<body><main><p>Call us: 555 0100, from nine to six, but for Sundays.</main><chat-box></chat-box><script>",
            None,
        ),
        (
            "<main><p>Call us from nine to six, but not on Sundays.<noscript>Enable JavaScript</noscript><script>",
            None,
        ),
        (f'<body><main>{LONG}</main><div id="root"></div><script src="/a.js"></script>', None),
        ('<body><div id="root"></div>', Outcome.EMPTY_TEXT),
        ("<body><img src=/map.png><script>track()</script>", Outcome.EMPTY_TEXT),
    ],
)
def test_a_page_is_taken_for_what_it_is(html: str, outcome: Outcome | None) -> None:
    assert verdict(html) == outcome


@every_row("path", ["/login", "/log-in/", "/users/sign_in", "/wp-login.php", "/en/signin/hours"])
def test_a_redirect_to_a_login_is_a_login_wall_whatever_it_says(path: str) -> None:
    assert verdict(f"<title>Shop</title><main>{LONG}</main>", f"https://shop.example{path}") is Outcome.LOGIN_WALL


@every_row("path", ["/login-problems", "/blogin", "/design-in-wood", "/catalogue"])
def test_a_redirect_to_a_page_of_a_like_name_is_none(path: str) -> None:
    assert verdict(f"<title>Shop</title><main>{LONG}</main>", f"https://shop.example{path}") is None
