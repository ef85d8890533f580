"""Finds signs that a response is not the page itself: an error page, a login form, a shell that a script fills."""

import re

from selectolax.lexbor import LexborHTMLParser

from crawler.extract.page import PageSigns

_NOT_FOUND = re.compile(
    r"(error |http |status )?404\b.{0,40}|.{0,30}\b(page|file|document|seite|article)? ?not found\W{0,3}.{0,25}"
    r"|.{0,30}\b(seite|dokument|inhalt)( wurde)? nicht gefunden.{0,25}|.{0,20}page (introuvable|non trouvée).{0,25}"
    r"|.{0,20}página no encontrada.{0,25}|.{0,20}pagina non trovata.{0,25}|.{0,20}página não encontrada.{0,25}"
    r"|.{0,30}\bpage (does not|doesn.t|no longer) exists?\W{0,3}.{0,25}",
    re.I | re.S,
)
_LOGIN = re.compile(r"\b(log ?in|sign ?in|log on|anmelden|anmeldung|einloggen|connexion|iniciar sesión|accedi)\b", re.I)
_WANTS_SCRIPTS = re.compile(
    r"(enable|activate|requires?|needs?|without|turn on|aktivieren|activer)\W+(\w+\W+){0,4}javascript"
    r"|javascript\W+(\w+\W+){0,3}(disabled|required|enabled|deaktiviert|aktivieren|désactivé)",
    re.I,
)
_MOUNT_POINTS = "#root,#app,#__next,#__nuxt,#___gatsby,#svelte,#main-app,[ng-app],[data-reactroot],[ng-version]"
_HEADING_CHARS = 120  # longer headings belong to articles about errors and logins


def read_signs(tree: LexborHTMLParser) -> PageSigns:
    """Read the signs of a page. Call it before anything is removed from the tree."""
    headings = [_text(tree, selector) for selector in ("title", "h1")]
    short = [heading for heading in headings if 0 < len(heading) <= _HEADING_CHARS]
    return PageSigns(
        says_not_found=any(_NOT_FOUND.fullmatch(heading) for heading in short),
        has_password_field=tree.css_first('input[type="password" i]') is not None,
        says_login=any(_LOGIN.search(heading) for heading in short),
        has_scripts=tree.css_first("script") is not None,
        is_shell=_is_shell(tree),
    )


def _is_shell(tree: LexborHTMLParser) -> bool:
    if tree.body is None or tree.css_first("script") is None:
        return False
    if any(asks_for_javascript(node.text()[:2000]) for node in tree.css("noscript")):
        return True
    if any(not node.text(strip=True) for node in tree.css(_MOUNT_POINTS)):
        return True
    # A custom element is empty until its script defines it.
    return any("-" in (node.tag or "") and not node.text(strip=True) for node in tree.body.iter())


def asks_for_javascript(text: str) -> bool:
    """Whether the text asks the reader to enable scripts."""
    return _WANTS_SCRIPTS.search(text) is not None


def _text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return " ".join(node.text().split()) if node is not None else ""
