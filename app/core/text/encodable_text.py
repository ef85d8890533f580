"""Text that Rust libraries take."""


def encodable(text: str) -> str:
    """The text with each lone surrogate, which JSON may carry and UTF-8 may not, as a question mark."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
