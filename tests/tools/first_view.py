"""Waiting time and bytes for the lobby, and for a first table from there.

    SOBREMESA_CACHE_DIR=$(mktemp -d) .venv/bin/python tests/tools/first_view.py    # as on a new machine

Measured in Chromium: from the request of a page until it and its visible pictures are loaded, and from the click until
the first move is possible.
"""

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from browsing import PHONE, WIDE, Visitor, chromium, running


def main(game):
    with chromium() as browser, tempfile.TemporaryDirectory() as folder, running(folder) as (home, _):
        for size in (WIDE, PHONE):
            visitor, came = Visitor(browser, home, size), []
            wire = visitor.context.new_cdp_session(visitor.page)
            wire.send("Network.enable")
            wire.on("Network.loadingFinished", lambda one, came=came: came.append(one["encodedDataLength"]))
            began = time.perf_counter()
            visitor.page.goto(f"{home}/", wait_until="load")
            seen = time.perf_counter() - began
            visitor.page.wait_for_load_state("networkidle")
            print(f"lobby at {size[0]}x{size[1]}: {seen:.2f} s, {sum(came) / 1000:.0f} kB", flush=True)
            began = time.perf_counter()
            visitor.sit_down(game)
            print(f"a table of {game}, from the lobby on: {time.perf_counter() - began:.2f} s", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--game", default="estafado")
    main(parser.parse_args().game)
