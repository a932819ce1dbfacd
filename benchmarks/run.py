"""`make bench`: every figure in one table, beside its bar. Exit code 1 when a bar is missed."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import startup
import step

import hooks


def main() -> int:
    git = subprocess.run(["git", "version"], capture_output=True, text=True, check=True).stdout
    python, cores = platform.python_version(), os.cpu_count()
    sys.stdout.write(f"{platform.system()}, {cores} cores, Python {python}, {git}\n")
    rows = [*startup.rows(), *step.rows(), *hooks.rows()]
    for row in rows:
        sys.stdout.write(f"{row}\n")
    return 0 if all(row.ok for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
