"""`python -m relay_git` is `git relay`."""

import sys

from relay_git.main import main

sys.exit(main())
