"""A website made from a seed: a home page, sections, and many pages that no other page is like."""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random

_PAGES_A_SECTION = 30
_SENTENCES = 9
_THINGS = ("kettle", "saddle", "anchor", "lantern", "compass", "barrel", "violin", "loom", "kiln", "plough", "sextant")
_MAKERS = ("Harrow", "Quill", "Tamsin", "Orme", "Bexley", "Corvin", "Dunmore", "Ellery", "Fenwick", "Garrick", "Holt")
_PLACES = ("harbour", "orchard", "quarry", "mill", "market", "chapel", "ferry", "station", "meadow", "tannery", "wharf")
_DEEDS = ("repairs", "measures", "carries", "polishes", "weighs", "stores", "delivers", "inspects", "paints", "mends")
_TIMES = ("in spring", "before noon", "on Tuesdays", "after the harvest", "at low tide", "in dry weather", "by candle")


class GeneratedSite:
    """`base` is "http://127.0.0.1:PORT". `asked` counts the requests for each path that were answered with its page.

    The page at `/n7/` alone holds the word `marker(7)`.
    """

    def __init__(self, name: str, page_count: int, seed: int) -> None:
        self.name = name
        self.base = ""
        self.asked: Counter[str] = Counter()
        self._seed = seed
        self._pages = range(page_count)
        self._sections = range(-(-page_count // _PAGES_A_SECTION))

    @property
    def urls(self) -> set[str]:
        """Of every page that can be found from the home page, with itself."""
        paths = ["/", *(f"/s{section}/" for section in self._sections), *(f"/n{number}/" for number in self._pages)]
        return {f"{self.base}{path}" for path in paths}

    def marker(self, number: int) -> str:
        return f"{self.name}mark{number:04d}"

    def page(self, path: str) -> str | None:
        if path == "/":
            listed = "".join(f'<li><a href="/s{section}/">Section {section}</a></li>' for section in self._sections)
            return _html(f"The {self.name} collection", f"<p>{self._text(-1)}</p><ul>{listed}</ul>")
        kind, number = path[1:2], path[2:-1]
        if not number.isdecimal() or path != f"/{kind}{int(number)}/":
            return None
        if kind == "s" and int(number) in self._sections:
            pages = self._pages[int(number) * _PAGES_A_SECTION :][:_PAGES_A_SECTION]
            listed = "".join(f'<li><a href="/n{page}/">Number {page}</a></li>' for page in pages)
            return _html(f"Section {number} of {self.name}", f"<p>{self._text(-2 - int(number))}</p><ul>{listed}</ul>")
        if kind == "n" and int(number) in self._pages:
            said = f"<p>It is listed as {self.marker(int(number))}.</p><h2>History</h2><p>{self._text(int(number))}</p>"
            return _html(f"Number {number} of {self.name}", said)
        return None

    def _text(self, number: int) -> str:
        chance = Random(f"{self._seed} {self.name} {number}")
        return " ".join(
            f"The {chance.choice(_THINGS)} of {chance.choice(_MAKERS)} from {chance.randrange(1500, 1990)} "
            f"{chance.choice(_DEEDS)} the {chance.choice(_THINGS)} at the {chance.choice(_PLACES)} "
            f"{chance.choice(_TIMES)}."
            for _ in range(_SENTENCES)
        )


def _html(title: str, body: str) -> str:
    return f'<!doctype html><html lang="en"><title>{title}</title><main><h1>{title}</h1>{body}</main></html>'


@contextmanager
def serving(site: GeneratedSite) -> Iterator[GeneratedSite]:
    """On a free port of 127.0.0.1 until the block is left."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True

        def do_GET(self) -> None:
            page = site.page(self.path)
            if page is not None:
                site.asked[self.path] += 1
            body = (page or "Not found").encode()
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's name
            """Nobody reads it."""

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            """A reader that was killed is no news."""

    with Server(("127.0.0.1", 0), Handler) as server:
        site.base = f"http://127.0.0.1:{server.server_port}"
        thread = threading.Thread(target=server.serve_forever, name=site.name, daemon=True)
        thread.start()
        try:
            yield site
        finally:
            server.shutdown()
            thread.join()
