"""`python -m tests.fleet`: three machines behind nginx read three websites and answer visitors, while processes are
killed, and Postgres and Redis restarted.

The seed is printed first, and `DOCENT_SEED` plays the same plan again. The last line is one JSON object of counts;
the exit code is 1 when a promise was broken. Logs of the processes are kept then.
"""

import argparse
import asyncio
import json
import os
import secrets
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from tests.fleet.run import Size, fleet


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, default=40, help="of each of the three websites")
    parser.add_argument("--turns", type=int, default=60, help="at the same time")
    parser.add_argument("--rounds", type=int, default=1, help="of the six blows that fall while they are read")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that all that was started is stopped
    seed = int(os.environ.get("DOCENT_SEED", "") or secrets.randbelow(10**6))
    sys.stderr.write(f"DOCENT_SEED={seed}\n")
    folder = Path(tempfile.mkdtemp(prefix="docent-fleet-"))
    counted = asyncio.run(fleet(folder, seed, Size(arguments.pages, arguments.turns, arguments.rounds), _say))
    faults = counted.pop("faults")
    for fault in faults:
        _say(fault)
    sys.stdout.write(json.dumps(counted | {"faults": len(faults)}) + "\n")
    if faults:
        _say(f"kept for you: {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
