#!/bin/sh
# Print the first Python that is 3.11 or newer and can make virtual environments.
#
#   tools/find-python.sh [PYTHON…]     those to try instead of the usual names
set -u

[ $# -gt 0 ] || set -- python3.13 python3.12 python3.11 python3
for python in "$@"; do
    if "$python" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null
    then
        echo "$python"
        exit
    fi
done
{
    echo "git-relay needs Python 3.11 or newer with the venv module; tried: $*"
    echo "install one (Debian and Ubuntu: apt install python3-venv), or name it:"
    echo "make PYTHON=/path/to/python3"
} >&2
exit 1
