"""Mail addresses that Cloudflare hides from robots: its script writes them in the place of "[email protected]"."""

from typing import Final

from selectolax.lexbor import LexborHTMLParser

_PATH: Final = "/cdn-cgi/l/email-protection"
_MOST: Final = 500


def show_addresses(tree: LexborHTMLParser) -> None:
    """Write the addresses, and lead their links to them, in place."""
    for node in tree.css("[data-cfemail]")[:_MOST]:
        if not (address := decoded(node.attributes.get("data-cfemail") or "")):
            continue
        if node.tag == "a":
            link = tree.create_node("a")
            link.attrs["href"] = f"mailto:{address}"
            link.insert_child(address)
            node.replace_with(link)
        else:
            node.replace_with(address)
    for link in tree.css(f'a[href*="{_PATH}#"]')[:_MOST]:
        if address := decoded((link.attributes.get("href") or "").partition("#")[2]):
            link.attrs["href"] = f"mailto:{address}"


def decoded(digits: str) -> str:
    """The address: hexadecimal bytes, each combined with the first by exclusive or. "" if it is none."""
    try:
        key, *rest = bytes.fromhex(digits)
        address = bytes(byte ^ key for byte in rest).decode()
    except ValueError:
        return ""
    return address if "@" in address and address.isprintable() else ""
