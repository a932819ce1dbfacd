"""`git-relay`, `python -m relay_git`: a process for one command."""

import gc
import sys

_SELDOM = 100_000
"""Objects made between two looks for garbage: more than a command's start makes, and keeps."""


def program() -> int:
    """Run the command line that this process was given; the exit code.

    Python would look for cycles again and again in what is imported, and at the end in all that
    is left: together as much as the whole start of a Python that does nothing.
    """
    gc.set_threshold(_SELDOM)
    from relay_git.main import main

    code = main()
    gc.freeze()
    return code


if __name__ == "__main__":
    sys.exit(program())
