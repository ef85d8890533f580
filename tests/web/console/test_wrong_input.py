"""Whatever is wrong in a form of the console stands beside its field in people's words, and what was typed stays.

The wrong values come from what each form declares: too long, no number, out of range, none of what is offered.
"""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from typing import Any

from app.core.source_file import Upload
from app.web.console.page import ConsolePage
from tests.every_row import every_row
from tests.web.console.browser import ConsoleBrowser, Value, text_of
from tests.web.console.page_examples import OpenConsole, every_page

# What a form declares nothing of, because a rule of the domain decides it.
BY_RULE = {
    ("do_sign_in", "email"): "nobody",
    ("add_operator", "email"): "nobody",
    ("add_operator", "password"): "short",
    ("invite_operator", "email"): "admin@example.com",  # there is one already
    ("change_password", "new_password"): "short",
    ("change_password", "current_password"): "not mine at all",
    ("set_password", "password"): "short",
    ("add_workspace", "email"): "nobody",
    ("add_workspace", "password"): "short",
    ("make_agent", "website"): "not a website",
    ("add_help_centre", "url"): "not a website",
    ("look_at_site", "look"): "not a website",
    ("upload_file", "url"): "not a website",
    ("add_source", "text"): " ",
    ("edit_source", "exclude"): "\n".join(f"/{number}/*" for number in range(1000)),
    ("set_schedule", "cron"): "every day",
    ("save_settings", "allowed_origins"): "not a website",
    ("save_settings", "theme_primary_color"): "reddish",
    ("save_settings", "language"): "klingon",
    ("save_settings", "confidence_threshold"): "200",
    ("save_settings", "retention_days"): "0",
    ("save_search_settings", "vector_weight"): "-1",
    ("set_retrieval_preset", "preset"): "",
    ("save_translation", "language"): "klingon",
    ("save_invitation", "pages"): "shop",
    ("save_invitation_text", "language"): "klingon",
    ("set_threshold", "confidence_threshold"): "200",
    ("set_user_issuer", "jwks_url"): "nowhere",
    ("set_repository", "owner"): "two words",
    ("set_repository", "patterns"): "no place for the path",
    ("issue_token", "days"): "0",
    ("delete_agent", "name"): "Another name",
    ("add_golden", "pages"): "nowhere",
    ("save_golden", "question"): " ",
    ("add_curated_answer", "answer"): " ",
    ("save_curated_answer", "pattern"): " ",
    ("answer_gap", "answer"): " ",
    ("add_webhook", "url"): "http://10.0.0.1/",
    ("add_notice_channel", "url"): "https://example.com/",
    ("add_chat_model", "url"): "http://10.0.0.1/",
    ("save_chat_model", "url"): "https://localhost/",
    ("set_help_desk", "host"): "not a host",
    ("set_mailbox", "host"): "not a host",
    ("set_messenger", "token"): "not a token",
    ("add_note", "text"): " ",
    ("reply_live", "text"): " ",
    ("add_saved_reply", "text"): "Hello {{nobody}}",
    ("switch_on_second_factor", "code"): "000000",
    ("switch_on_second_factor", "password"): "not mine at all",
    ("ask_playground", "page_url"): "nowhere",
    ("ask_playground", "language"): "klingon",
    ("edit_lead", "assignee"): "nobody@example.com",
    ("edit_gap", "assignee"): "nobody@example.com",
    ("edit_conversations", "label"): " ",
}
SECRETS = re.compile("password|secret|token|signing|code|header_value|^key$")
# Of a program and no person: what an input of a page cannot send, or what no input shows.
OF_THE_PAGE = {"back", "cursor", "said", "version_number"}
FOR_PROGRAMS = re.compile(
    r"\b(UUID|JSON|openapi|true or false|Send an?|Send at|Send more|Send less|string|integer|object)\b|\w_\w|'\w+' or '"
)


def _kind(schema: dict[str, Any], whole: dict[str, Any]) -> dict[str, Any]:
    """What a field takes, without null and lists around it."""
    if "$ref" in schema:
        return _kind(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    for branch in schema.get("anyOf", ()):
        if branch.get("type") != "null":
            return {**_kind(branch, whole), **{k: v for k, v in schema.items() if k != "anyOf"}}
    return _kind(schema["items"], whole) if "items" in schema else schema


def _wrong(page: ConsolePage) -> Iterator[tuple[str, str, str]]:
    """Each field, in what way it is wrong, and its value."""
    if any(field.annotation is Upload for field in page.form.model_fields.values()):
        return
    whole = page.form.model_json_schema()
    for name, schema in whole.get("properties", {}).items():
        kind = _kind(schema, whole)
        if name in OF_THE_PAGE:
            continue
        if (longest := kind.get("maxLength")) and longest <= 50_000:
            yield name, "too long", "x" * (longest + 1)
        if kind.get("type") in ("integer", "number"):
            yield name, "no number", "abc"
            if (least := kind.get("minimum")) is not None:
                yield name, "too small", str(least - 1)
            if (most := kind.get("maximum")) is not None:
                yield name, "too large", str(most + 1)
        if "enum" in kind or "const" in kind:
            yield name, "not offered", "no-such-thing"
        if kind.get("format") == "uuid":
            yield name, "no id", "x"


PAGES = {page.name: page for page in every_page() if page.method == "POST" and page.shown_on}
CASES = [(page, *wrong) for page in PAGES.values() for wrong in _wrong(page)]
CASES += [(PAGES[name], field, "by a rule", value) for (name, field), value in BY_RULE.items()]


class _Fields(HTMLParser):
    """The inputs of a page that are said to be wrong, alerts, and what has the focus first."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.folds: list[bool] = []  # around what is read, whether each is closed
        self.hidden: set[str] = set()  # ids in a fold that is closed
        self.described: set[str] = set()  # ids that an invalid field is described by
        self.focused: list[dict[str, str]] = []
        self.alerts = 0
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = {name: value or "" for name, value in attrs}
        if tag == "details":
            self.folds.append("open" not in told)
        self.ids.add(told.get("id", ""))
        if any(self.folds):
            self.hidden.add(told.get("id", ""))
        if "aria-invalid" in told:
            self.described |= set(told.get("aria-describedby", "").split())
        if tag == "fieldset":
            self.described |= set(told.get("aria-describedby", "").split())
        if "autofocus" in told:
            self.focused.append(told)
        self.alerts += told.get("role") == "alert"

    def handle_endtag(self, tag: str) -> None:
        if tag == "details":
            self.folds.pop()


@every_row(
    ("page", "field", "how", "value"), CASES, ids=[f"{page.name}-{field}-{how}" for page, field, how, _ in CASES]
)
async def test_what_is_wrong_is_said_beside_its_field(
    page: ConsolePage, field: str, how: str, value: str, still_console: OpenConsole
) -> None:
    form: dict[str, Value] = {**still_console.form(page), field: value}
    browser = still_console.admin if page.scope is not None else ConsoleBrowser(still_console.house)
    response = await browser.post(still_console.path(page), form)
    assert response.status_code == 422, (response.status_code, text_of(response.text)[:300])
    found = _Fields(response.text)
    wrong = f"{page.name}-{field}-wrong"
    if wrong in found.ids:
        assert wrong in found.described, "a screen reader reads it with its field"
        assert wrong not in found.hidden, "nobody has to open anything to read it"
        shown = re.search(f'id="{wrong}">([^<]*)<', response.text)
    else:
        assert found.alerts, "it is said somewhere"
        shown = re.search(r'role="alert"[^>]*>([^<]*)<', response.text)
    assert shown is not None
    assert not FOR_PROGRAMS.search(shown[1]), shown[1]
    assert found.focused, "the focus is led there"
    for name, sent in form.items():
        is_typed = re.search(f'<(input|textarea) id="{page.name}-{name}"', response.text)
        if isinstance(sent, str) and is_typed and not SECRETS.search(name):
            assert sent.replace("\r", "").strip() in unescape(response.text), f"{name} is kept"
