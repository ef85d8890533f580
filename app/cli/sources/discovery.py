"""`docent source discover`: what a website offers, before anything of it is read."""

from typing import Annotated

import typer

from app.bootstrap.adapters import open_site_discovery
from app.cli.sources.commands import commands
from app.cli.sources.website_address import check_website, website_address
from app.cli.terminal import AsJson, out, print_json, run, settings_for, table
from app.settings import Settings


@commands.command()
def discover(
    url: Annotated[str, typer.Argument(help="A website's root, or any page of it.")],
    allow: Annotated[
        str | None, typer.Option(help="Private endpoints to read all the same, IP:PORT, comma separated.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a website's sitemaps, feeds and links with their counts; nothing is stored."""
    run(_discover(settings_for(crawl_allow=allow), website_address(url), as_json))


async def _discover(settings: Settings, url: str, as_json: bool) -> None:
    check_website(url, settings.crawl_allow)
    async with open_site_discovery(settings) as discovery:
        found = await discovery.look(url)
    if as_json:
        offers = [
            {"kind": o.kind.value, "url": o.url, "title": o.title, "pages": o.pages, "has_more": o.has_more}
            for o in found.offers
        ]
        problems = [{"url": where, "reason": reason} for where, reason in found.problems]
        print_json(
            {
                "url": found.url,
                "title": found.title,
                "offers": offers,
                "problems": problems,
                "is_complete": found.is_complete,
            }
        )
    else:
        shown = table("kind", "address", "pages", "title", title=found.title or found.url)
        for offer in found.offers:
            pages = f"{offer.pages}+" if offer.has_more else str(offer.pages)
            shown.add_row(offer.kind.value, offer.url, pages, offer.title)
        out.print(shown if found.offers else "Nothing was found.")
        for where, reason in found.problems:
            out.print(f"{where}: {reason}", highlight=False)
        if not found.is_complete:
            out.print("The time for looking ran out; there may be more.")
    if not found.offers:
        raise typer.Exit(1)
