"""Which addresses belong to a source, and how each is spelt, by the rules of the crawler that reads it later."""

from collections.abc import Iterable, Sequence

from app.core.errors import InvalidInput
from app.sources.runs.crawler_site_reader import scope_of
from app.sources.source import GIVEN_KINDS, SourceConfig, SourceKind
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.discover.scope import page_key
from crawler.errors import UrlRefused
from crawler.url_rules import check_url, normalise_url


class PageScope:
    """`allowed` endpoints are those that the reading may dial although they are private."""

    def __init__(self, allowed: Iterable[Endpoint] = ()) -> None:
        self._policy = AddressPolicy(frozenset(allowed))

    def check(self, source: SourceConfig) -> None:
        """Raises InvalidInput (field "url") for a source whose address no reading could ever dial: its text alone shows
        it, nothing is looked up. A given source has nothing to dial."""
        if source.kind in GIVEN_KINDS:
            return
        try:
            check_url(source.url.strip(), self._policy)
        except UrlRefused as error:
            raise InvalidInput("url", f"This address cannot be read: {error.reason}.") from error

    def canonical(self, source: SourceConfig, urls: Sequence[str]) -> list[str]:
        """The addresses as a reading of the source spells them, each once, in their order.

        Raises InvalidInput, naming the address (field "urls.3"), for one that cannot be read or lies outside.
        """
        pages = SourcePages(source, self._policy)
        found: dict[str, None] = {}
        for number, text in enumerate(urls):
            try:
                spelt = pages.canonical(text)
            except UrlRefused as error:
                raise InvalidInput(f"urls.{number}", f"This address cannot be read: {error.reason}.") from error
            if spelt is None:
                raise InvalidInput(f"urls.{number}", "This is outside the source. Leave it out, or widen the source.")
            found[spelt] = None
        return list(found)


class SourcePages:
    """Which addresses are pages of one source. Raises InvalidInput for a source whose own address cannot be read."""

    def __init__(self, source: SourceConfig, policy: AddressPolicy) -> None:
        self._policy = policy
        self._is_one_page = source.kind is SourceKind.URL
        try:
            self.start = check_url(source.url.strip(), policy)
        except UrlRefused as error:
            raise InvalidInput("source_id", f"The source's own address cannot be read: {error.reason}.") from error
        self._scope = scope_of(source, self.start)

    def canonical(self, text: str) -> str | None:
        """The address as the frontier spells it; None outside of the source. Raises UrlRefused."""
        spelt = normalise_url(text.strip(), self._policy)
        url = check_url(spelt, self._policy)
        is_other_page = self._is_one_page and page_key(url) != page_key(self.start)
        return None if is_other_page or not self._scope.allows(url) else spelt
