#!/bin/sh
# install.sh: Chromium for the tests in a browser, and with the argument "proxies" nginx and Caddy for the tests of
# reverse proxies, from Debian's own packages; asks for root's rights by sudo.
set -e
command -v apt-get >/dev/null || { echo "no apt-get here: install chromium, nginx and caddy on the PATH another way" >&2; exit 1; }
root=$([ "$(id -u)" = 0 ] || echo sudo)
wanted=""
command -v chromium >/dev/null || wanted="chromium fonts-dejavu-core"  # fonts with the signs of the pages
if [ "$1" = proxies ]; then
    command -v nginx >/dev/null || wanted="$wanted nginx-light"
    command -v caddy >/dev/null || wanted="$wanted caddy"
fi
if [ -n "$wanted" ]; then
    echo "installing $wanted"
    $root apt-get update -q
    $root apt-get install -q -y --no-install-recommends $wanted
fi
chromium --version
