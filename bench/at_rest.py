"""`python -m bench.at_rest`: what `docent serve` costs until it is ready, and what it holds while nobody asks.

Processor seconds in all threads until it answers that it is ready, and resident memory some seconds later; as shipped,
over a data folder with one learnt agent, its modules compiled, as pip leaves them.
"""

import argparse
import asyncio
import compileall
import json
import os
import tempfile
from pathlib import Path
from statistics import median
from typing import Final

from bench.demo_corpus import learnt
from bench.serving.web_process import WebProcess, own_environment

_CHUNKS: Final = 100  # nothing of an agent is in memory before it is asked
_SETTLING_SECONDS: Final = 5
_MODULES: Final = tuple(Path(__file__).resolve().parent.parent / name for name in ("app", "crawler"))


async def measure(rounds: int) -> tuple[list[float], list[float]]:
    """Of each start, the processor seconds and the MiB."""
    seconds, mebibytes = [], []
    own_environment()
    for folder in _MODULES:
        compileall.compile_dir(folder, quiet=1)
    with tempfile.TemporaryDirectory(prefix="docent-at-rest-") as parent:
        folder = Path(parent)
        await learnt(folder / "data", _CHUNKS)
        environment = {"DOCENT_DATA": str(folder / "data"), "DOCENT_LOG_LEVEL": "warning"}
        for _ in range(rounds):
            server = WebProcess(environment, folder / "server.log")
            await server.start()
            try:
                seconds.append(server.processor_seconds())
                await asyncio.sleep(_SETTLING_SECONDS)
                mebibytes.append(server.resident_kib() / 1024)
            finally:
                await server.stop()
    return seconds, mebibytes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="one object on one line")
    options = parser.parse_args()
    seconds, mebibytes = asyncio.run(measure(options.rounds))
    load = os.getloadavg()[0]
    if options.json:
        ratios = {"start_seconds": median(seconds), "rest_memory_mib": median(mebibytes)}
        figures = {"cores": os.cpu_count(), "load": load, "start_seconds": seconds, "rest_memory_mib": mebibytes}
        print(json.dumps({"ratios": ratios, **figures}))
        return
    print(f"median of {options.rounds} starts (least to most)")
    print(f"  until it is ready: {median(seconds):.2f} ({min(seconds):.2f} to {max(seconds):.2f}) processor seconds")
    print(f"  at rest:           {median(mebibytes):.0f} ({min(mebibytes):.0f} to {max(mebibytes):.0f}) MiB")
    print(f"{os.cpu_count()} cores, load {load:.1f}")


if __name__ == "__main__":
    main()
