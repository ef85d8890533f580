"""Why a file cannot be learnt from."""


class FileRefused(Exception):
    """`str(error)` continues the sentence "The file ...": what is wrong with it, and the fix."""
