"""Why a file cannot be learnt from."""


class FileRefused(Exception):
    """`str(error)` goes on from "The file ...": what is wrong with it, and the fix."""
