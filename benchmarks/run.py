"""`make bench`: every figure in one table, beside its bar. Exit code 1 when a bar is missed.

Writes nothing but scratch repositories, which need 5 GB where temporary files are kept.
"""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import distilling
import filing
import housekeeping
import neighbours
import noting
import pipeline
import startup
import step
import syncing
from measure import Row
from scratch import Stage, sealed

import hooks

SECTIONS: dict[str, Callable[[Stage], list[Row]]] = {
    "startup": startup.rows,
    "step": step.rows,
    "pipeline": pipeline.rows,
    "hooks": hooks.rows,
    "noting": noting.rows,
    "filing": filing.rows,
    "distilling": distilling.rows,
    "syncing": syncing.rows,
    "neighbours": neighbours.rows,
    "housekeeping": housekeeping.rows,
}


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure git-relay on this machine.")
    parser.add_argument("section", nargs="*", help=f"these alone: {', '.join(SECTIONS)}")
    parser.add_argument("--quick", action="store_true", help="small, to see that they run; no bars")
    args = parser.parse_args()
    unknown = set(args.section) - SECTIONS.keys()
    if unknown:
        parser.error(f"unknown section {', '.join(sorted(unknown))}")
    sys.stdout.write(f"{machine()}\n")
    missed = 0
    with sealed() as scratch:
        for row in measured(args.section or list(SECTIONS), Stage(scratch, args.quick)):
            sys.stdout.write(f"{row}\n")
            sys.stdout.flush()
            missed += not row.ok
    return 1 if missed else 0


def measured(sections: list[str], stage: Stage) -> Iterator[Row]:
    for name in sections:
        sys.stdout.write(f"\n{name}\n")
        for row in SECTIONS[name](stage):
            yield replace(row, bar=None) if stage.quick else row


def machine() -> str:
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    parts = [
        f"{platform.system()} {platform.release().partition('-')[0]}",
        f"{os.cpu_count()} cores {_processor()}".strip(),
        f"{memory:.0f} GiB of memory",
        f"Python {platform.python_version()}",
        git.strip().replace("git version", "git"),
    ]
    return ", ".join(parts)


def _processor() -> str:
    """As Linux names it, if it does."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else ""


if __name__ == "__main__":
    sys.exit(main())
