"""Which addresses belong to a source, and their canonical form, by the rules of the crawler that reads it."""

from collections.abc import Iterable, Sequence

from app.core.errors import InvalidInput
from app.sources.source import SourceConfig
from crawler.address_policy import AddressPolicy, Endpoint
from crawler.discover.scope import page_key
from crawler.errors import UrlRefused
from crawler.url_rules import check_url, normalise_url


class PageScope:
    """`allowed` endpoints may be dialled although they are private."""

    def __init__(self, allowed: Iterable[Endpoint] = ()) -> None:
        self._policy = AddressPolicy(frozenset(allowed))

    def check(self, source: SourceConfig) -> None:
        """Raise InvalidInput (field "url") for a source whose address can never be dialled according to its text alone;
        nothing is resolved. Sources that operators add themselves have nothing to dial."""
        if source.kind.is_given:
            return
        try:
            check_url(source.url.strip(), self._policy)
        except UrlRefused as error:
            raise InvalidInput("url", f"This address cannot be read: {error.reason}.") from error

    def canonical(self, source: SourceConfig, urls: Sequence[str]) -> list[str]:
        """The addresses in the form in which a reading of the source writes them, in order, without duplicates.

        Raises InvalidInput, naming the address (field "urls.3"), for one that is invalid or outside of the source.
        """
        pages = SourcePages(source, self._policy)
        found: dict[str, None] = {}
        for number, text in enumerate(urls):
            try:
                spelt = pages.canonical(text)
            except UrlRefused as error:
                raise InvalidInput(f"urls.{number}", f"This address cannot be read: {error.reason}.") from error
            if spelt is None:
                raise InvalidInput(
                    f"urls.{number}", "This address is outside the source. Remove it, or extend the source's settings."
                )
            found[spelt] = None
        return list(found)


class SourcePages:
    """Decides which addresses are pages of one source. Raises InvalidInput if the source's own address is invalid."""

    def __init__(self, source: SourceConfig, policy: AddressPolicy) -> None:
        self._policy = policy
        self._is_one_page = source.kind.is_one_page
        try:
            self.start = check_url(source.url.strip(), policy)
        except UrlRefused as error:
            raise InvalidInput("source_id", f"The source's own address cannot be read: {error.reason}.") from error
        self._scope = source.kind.scope(source, self.start)

    def canonical(self, text: str) -> str | None:
        """The address in the crawler's canonical form; None if it is outside of the source. Raises UrlRefused."""
        spelt = normalise_url(text.strip(), self._policy)
        url = check_url(spelt, self._policy)
        is_other_page = self._is_one_page and page_key(url) != page_key(self.start)
        return None if is_other_page or not self._scope.allows(url) else spelt
