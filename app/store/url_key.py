"""The key by which URLs are found, because they may be longer than an index entry can be."""

import hashlib


def url_key(url: str) -> str:
    return hashlib.sha256(url.encode("utf-8", "surrogatepass")).hexdigest()
