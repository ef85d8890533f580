"""The process that converts files, one at a time over a pipe, with limited memory."""

import logging
from multiprocessing.connection import Connection
from typing import Final

from app.core.errors import InvalidInput
from crawler.extract.extraction_worker import Answer, PageFailure, PageRequest
from crawler.worker_processes import limit_memory, serve_requests

MEMORY_BYTES: Final = 2 * 1024**3


def serve_files(pipe: Connection) -> None:
    """Entry point of the process, for `ExtractionPool(serve=...)`. A request's `url` is the file's name."""
    from app.sources.files.conversion import convert_file  # heavy, so the pool's own process does not import it
    from app.sources.files.refusal import FileRefused

    limit_memory(MEMORY_BYTES)
    for name in ("pypdf", "trafilatura"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # their warnings do not name the file

    def answer(request: PageRequest) -> Answer:
        try:
            return convert_file(request.url, request.body)
        except FileRefused as refused:
            return PageFailure(f"The file {refused}")
        except InvalidInput as refused:
            return PageFailure(str(refused).removeprefix("file: "))
        except (MemoryError, RecursionError):
            return PageFailure("The file needs too much memory to read. Split it, or save it again.")
        except Exception as error:
            return PageFailure(f"The file cannot be read ({type(error).__name__}). Save it again, or as PDF.")

    serve_requests(pipe, answer)
