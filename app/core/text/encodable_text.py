"""Text that Rust libraries accept."""


def encodable(text: str) -> str:
    """The text with each lone surrogate replaced by a question mark: JSON may carry them, UTF-8 may not."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text
