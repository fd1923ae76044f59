#!/bin/sh
# install.sh: what the tests in a browser need, Chromium from Debian's own packages; asks for root's rights by sudo.
set -e
if command -v chromium >/dev/null; then
    echo "chromium is there: $(chromium --version 2>/dev/null)"
    exit 0
fi
command -v apt-get >/dev/null || { echo "no apt-get here: install Chromium another way, as 'chromium' on the PATH" >&2; exit 1; }
root=$([ "$(id -u)" = 0 ] || echo sudo)
echo "updating the lists of packages"
$root apt-get update -q
echo "installing chromium, and fonts with the signs of the pages"
$root apt-get install -q -y --no-install-recommends chromium fonts-dejavu-core
chromium --version
