#!/bin/sh
# Run the tests of the import with other versions of Anki, each in a fresh environment.
# Usage: benchmarks/anki_versions.sh [VERSION...]
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
[ $# -gt 0 ] || set -- 24.6.3 25.2.7 newest
for one in "$@"; do
    [ "$one" = newest ] && wanted=anki || wanted="anki==$one"
    "${PYTHON:-python3}" -m venv "$work/$one"
    "$work/$one/bin/python" -m pip install --quiet --disable-pip-version-check -e "$root" "$wanted" hypothesis pytest
    echo "anki $("$work/$one/bin/python" -c 'import importlib.metadata as m; print(m.version("anki"))')"
    (cd "$root" && "$work/$one/bin/python" -m pytest -q -p no:cacheprovider \
        tests/test_anki_import.py tests/test_anki_rules.py tests/test_anki_type_in.py \
        tests/test_anki_sync.py) || failed=1
done
exit $failed
