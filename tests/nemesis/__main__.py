"""`python -m tests.nemesis`: a thousand turns while clients, providers, Redis and processes fail at random moments.

The seed is printed first, and `DOCENT_SEED` plays the same plan again. The last line is one JSON object of counts;
the exit code is 1 when a promise was broken. Logs of the processes are kept then.
"""

import argparse
import asyncio
import json
import os
import secrets
import shutil
import sys
import tempfile
from pathlib import Path

from tests.nemesis.run import nemesis


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=1000)
    parser.add_argument("--postgres", action="store_true", help="the record on Postgres, which fails as well")
    arguments = parser.parse_args()
    seed = int(os.environ.get("DOCENT_SEED", "") or secrets.randbelow(10**6))
    sys.stderr.write(f"DOCENT_SEED={seed}\n")
    folder = Path(tempfile.mkdtemp(prefix="docent-nemesis-"))
    counted = asyncio.run(nemesis(folder, seed, arguments.turns, on_postgres=arguments.postgres))
    faults = counted.pop("faults")
    for fault in faults:
        sys.stderr.write(f"{fault}\n")
    sys.stdout.write(json.dumps(counted | {"faults": len(faults)}) + "\n")
    if faults:
        sys.stderr.write(f"kept for you: {folder}\n")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
