"""A website of PAGES pages with entity tags, which counts the bytes it sends."""

import hashlib
import random
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.doubles.loopback_site import LoopbackSite, Reply, running_site

PAGES = 300
_SYLLABLES = [consonant + vowel for consonant in "bcdfghjklmnprstvwxyz" for vowel in "aeiou"]
_NAVIGATION = "".join(f'<li><a href="/page/{n}">Section {n} of the handbook</a></li>' for n in range(120))
_HEADER_BYTES = 200  # of one answer, status line and headers


@dataclass
class ManyPages:
    """`sent_bytes` is what went out since it was last set to 0."""

    site: LoopbackSite
    bodies: dict[str, bytes] = field(default_factory=dict)
    sent_bytes: int = 0

    def write(self, number: int, edition: int = 0) -> None:
        """A page of some 120 words that no other page or edition shares."""
        words = _words(random.Random(f"{number} {edition}"))
        text = " ".join(f"{next(words).capitalize()} {' '.join(next(words) for _ in range(9))}." for _ in range(12))
        html = (
            f"<!doctype html><html lang=en><title>Page {number}</title><nav><ul>{_NAVIGATION}</ul></nav>"
            f"<main><h1>Page {number}</h1><p>{text}</p></main><footer>The same on every page.</footer>"
        )
        path = f"/page/{number}"
        self.bodies[path] = html.encode()
        self.site.routes[path] = lambda headers: self._answer(path, headers)

    def _answer(self, path: str, headers: Mapping[str, str]) -> Reply:
        body = self.bodies[path]
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if headers.get("if-none-match") == tag:
            self.sent_bytes += _HEADER_BYTES
            return Reply(304, headers={"ETag": tag})
        self.sent_bytes += _HEADER_BYTES + len(body)
        return Reply(200, body, {"Content-Type": "text/html; charset=utf-8", "ETag": tag})


def _words(chance: random.Random) -> Iterator[str]:
    while True:
        yield "".join(chance.choices(_SYLLABLES, k=chance.randint(2, 4)))


@contextmanager
def many_pages_online() -> Iterator[ManyPages]:
    with running_site() as site:
        pages = ManyPages(site)
        for number in range(PAGES):
            pages.write(number)
        listed = "".join(f"<url><loc>{site.origin}/page/{number}</loc></url>" for number in range(PAGES))
        sitemap = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{listed}</urlset>'
        site.page("/sitemap.xml", sitemap, content_type="application/xml")
        yield pages
