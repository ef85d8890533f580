"""Contradictions planted in the demonstration site: a value changed on one page, which other pages state as well."""

from typing import Final, NamedTuple

from app.core.chunk import Chunk
from tests.site_report.pages import demo_pages


class Plant(NamedTuple):
    path: str
    before: str
    after: str


PLANTS: Final = (
    Plant("/", "stations are at work in 31 countries", "stations are at work in 29 countries"),
    Plant("/", "You have 30 days to <a", "You have 14 days to <a"),
    Plant("/contact/", "Monday to Friday from 10:00 to 16:00", "Monday to Friday from 9:00 to 16:00"),
    Plant("/contact/", "+353 20 915 0123", "+353 20 915 0124"),
    Plant("/faq/", "30 days of history, 3 alert rules", "60 days of history, 3 alert rules"),
    Plant("/faq/", "(NB-B2) costs €24", "(NB-B2) costs €29"),
    Plant("/features/wind/", "NB-W1, €109", "NB-W1, €119"),
    Plant("/products/one/", "NB-M1 (€34)", "NB-M1 (€39)"),
    Plant("/products/one/", "3 years, battery pack 1 year", "2 years, battery pack 1 year"),
    Plant("/pricing/", "3 alert rules, 3-day forecast", "5 alert rules, 3-day forecast"),
    Plant("/help/choose-a-spot/", "300 m in the open", "200 m in the open"),
    Plant("/help/firmware/", "at least 7 years after we last sold it", "at least 5 years after we last sold it"),
    Plant("/help/cancel/", "kept for 90 days, then deleted", "kept for 60 days, then deleted"),
    Plant("/help/winter/", "A full battery lasts 60 days", "A full battery lasts 50 days"),
    Plant("/help/connect-wifi/", "keeps 72 hours of readings", "keeps 48 hours of readings"),
    Plant("/integrations/", "every 20 seconds", "every 30 seconds"),
    Plant("/press/", "the company has 38 people", "the company has 40 people"),
    Plant("/shipping/", "A Nimbrel One at €189", "A Nimbrel One at €179"),
    Plant("/terms/", "We aim for 99.9 % a month", "We aim for 99.5 % a month"),
    Plant("/warranty/", "for a flat €45", "for a flat €55"),
)


def planted_pages(plants: tuple[Plant, ...] = PLANTS) -> list[list[Chunk]]:
    """The demonstration site with these changes. A text that is not there is an error."""
    left = set(plants)

    def change(path: str, html: str) -> str:
        for plant in plants:
            if plant.path == path and plant.before in html:
                html = html.replace(plant.before, plant.after)
                left.discard(plant)
        return html

    pages = demo_pages(change)
    assert not left, f"the demonstration site has no longer: {left}"
    return pages
