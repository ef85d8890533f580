"""Walls that keep programs out of a website: a service in front of it answers in its place, with a puzzle for browsers
or a refusal. Such an answer says nothing about the page.

Each service is known by a header that it sends with such answers alone, or by a mark in their HTML. Scripts by which
these services watch ordinary pages are no marks.
"""

import re
from collections.abc import Mapping
from typing import Final

# May be a wall's; the answer to other statuses is the website's own.
WALLED_STATUSES: Final = frozenset({202, 401, 403, 405, 406, 429, 503})
READ_BYTES: Final = 64 * 1024
_HEADERS: Final = (
    ("Cloudflare", "cf-mitigated", re.compile(r"challenge|block", re.IGNORECASE)),
    ("AWS WAF", "x-amzn-waf-action", re.compile(r"challenge|captcha", re.IGNORECASE)),
    ("DataDome", "x-dd-b", re.compile(r"\d+")),
    ("Vercel", "x-vercel-mitigated", re.compile(r"challenge|deny", re.IGNORECASE)),
)
_REFUSED_BY: Final = (("Akamai", "server", re.compile(r"AkamaiGHost", re.IGNORECASE)),)
_MARKS: Final = (
    ("Cloudflare", re.compile(rb"_cf_chl_opt|id=[\"']?cf-error-details|Attention Required! \| Cloudflare")),
    ("Akamai", re.compile(rb"errors\.edgesuite\.net|[?&]bm-verify=|sec-if-cpt-container")),
    ("DataDome", re.compile(rb"//(?:geo\.|ct\.)?captcha-delivery\.com")),
    ("AWS WAF", re.compile(rb"\bgokuProps\b")),
    ("Imperva", re.compile(rb"Incapsula incident ID")),
    ("HUMAN", re.compile(rb"id=[\"']?px-captcha")),
    ("Sucuri", re.compile(rb"Access Denied - Sucuri Website Firewall|sucuri_cloudproxy_js")),
    ("Anubis", re.compile(rb"/\.within\.website/x/cmd/anubis")),
)


def bot_wall(status: int, headers: Mapping[str, str], body: bytes = b"") -> str:
    """The service whose wall answered, "" if none. `headers` have lower-case names. Of a 200, whose text may be about
    such a wall, only a body that hardly has text should be given."""
    proofs = _HEADERS if status == 200 else (*_HEADERS, *_REFUSED_BY)
    found = (service for service, name, value in proofs if value.search(headers.get(name, "")))
    by_mark = (service for service, mark in _MARKS if mark.search(body[:READ_BYTES]))
    return next(found, "") or next(by_mark, "")


def wall_reason(service: str) -> str:
    return f"a bot wall ({service}) answers in place of the website"
