"""Whether a response with status 200 is the page that was asked for."""

import re

from crawler.extract.markdown.text_links import without_targets
from crawler.extract.page import Outcome, Page
from crawler.extract.page_signs import asks_for_javascript
from crawler.fetch.bot_walls import bot_wall, wall_reason
from crawler.fetch.fetch_result import Fetched, Refusal
from crawler.url_rules import CheckedUrl

_LOGIN_PATH = re.compile(r"/(log-?_?in|sign-?_?in|wp-login|user-login|logon)(\.[a-z]{3,5})?(/|$)", re.I)
_ERROR_PAGE_CHARS = 800  # error pages and login forms are short; articles about them are long
_LOADING_CHARS = 40  # "Loading...", "Please wait"
_REQUEST_CHARS = 300  # a request for JavaScript, not an article about it


def not_the_page(page: Page, asked: CheckedUrl, final: CheckedUrl) -> Refusal | None:
    """Why the page at `final`, to which `asked` led, must not be learned; None if it may be."""
    text_chars = len(without_targets(page.markdown))
    signs = page.signs
    if not _is_login(asked) and _is_login(final):
        return Refusal(Outcome.LOGIN_WALL, f"the page redirects to a login ({final})")
    if signs.has_password_field and signs.says_login and text_chars <= _ERROR_PAGE_CHARS:
        return Refusal(Outcome.LOGIN_WALL, "the page asks for a login")
    if signs.says_not_found and text_chars <= _ERROR_PAGE_CHARS:
        return Refusal(Outcome.SOFT_404, "the page says that it was not found, although its status is 200")
    if has_no_text_without_scripts(page):
        return Refusal(Outcome.JAVASCRIPT_ONLY, "the page has no text until its JavaScript runs")
    if not page.markdown.strip():
        return Refusal(Outcome.EMPTY_TEXT, "the page has no main text")
    return None


def wall_in_place_of(page: Page, answer: Fetched) -> Refusal | None:
    """The bot wall that answered with a status 200; None if this is the website's own page."""
    is_short = len(without_targets(page.markdown)) <= _ERROR_PAGE_CHARS
    wall = bot_wall(answer.status, answer.headers, answer.body if is_short else b"")
    return Refusal(Outcome.BOT_WALL, wall_reason(wall)) if wall else None


def has_no_text_without_scripts(page: Page) -> bool:
    """Whether the page is a shell that scripts fill."""
    chars = len(without_targets(page.markdown))
    if page.signs.is_shell and chars <= _LOADING_CHARS:
        return True
    return page.signs.has_scripts and chars <= _REQUEST_CHARS and asks_for_javascript(page.markdown)


def _is_login(url: CheckedUrl) -> bool:
    return _LOGIN_PATH.search(url.path) is not None
