"""The pictures of tables in sobremesa/serve/README.md: the lobby, a table of each game, the end of a deal and its film.

    .venv/bin/python tests/browser/pictures.py sobremesa/serve

It plays some moves by lot in a real browser and needs Chromium (tests/browser/install.sh) and Pillow. Look at them
before they are kept.
"""

import io
import random
import sys
import tempfile
from functools import partial
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
from browsing import PHONE, WIDE, Visitor, chromium, running

from sobremesa import agents, envs
from sobremesa.agents.arena import replay as replays

ACROSS = 380  # pixels of a wide picture on the sheet; phones are as high as two of them
HIGH = 600  # pixels of table.png
COLOURS = 128
GAP = 8
MOVES = 4
PATIENCE = 180_000  # milliseconds, for kernels that are not compiled yet


def main(folder: Path) -> None:
    """Write tables.png, the sheet of wide pictures, phones.png, and table.png, one of each beside each other."""
    wide: list[Image.Image] = []
    phones: list[Image.Image] = []
    with tempfile.TemporaryDirectory() as kept, running(kept) as (home, _), chromium() as browser:
        for size, scheme, found in ((WIDE, "light", wide), (PHONE, "dark", phones)):
            visitor = Visitor(browser, home, size, "es" if size == PHONE else "en")
            visitor.page.set_default_timeout(PATIENCE)
            visitor.page.emulate_media(color_scheme=scheme)
            for game in envs.games():
                visitor.sit_down(game)
                visitor.play(partial(visitor.point, random.Random(game)), moves=MOVES)
                found.append(shot(visitor))
            visitor.page.goto(f"{home}/?language={visitor.language}")
            found.insert(0, shot(visitor))
            end(visitor, kept)
            found.append(shot(visitor, "document.querySelector('.course').scrollIntoView()"))
            visitor.page.locator(".over a").first.click()
            for _ in range(20):
                visitor.page.keyboard.press("ArrowRight")
            found.append(shot(visitor))
    sheet(wide, 4, ACROSS).save(folder / "tables.png", optimize=True)
    sheet(phones, len(phones), ACROSS * 4 // 10).save(folder / "phones.png", optimize=True)
    one, other = (1 + envs.games().index(game) for game in ("estafado", "ese_toro_enamorado"))
    pair(wide[one], phones[other]).save(folder / "table.png", optimize=True)


def end(visitor: Visitor, folder: str) -> None:
    """Open a deal that is over, with the decisions that cost most."""
    game, file = envs.load("ese_toro_enamorado"), Path(folder) / "deal.json"
    replays.write(file, replays.record(game, [agents.load(name, game) for name in ("random", "strong")], 2))
    visitor.page.locator("form.replays input").set_input_files(str(file))
    visitor.page.locator("form.replays button").click()
    visitor.page.wait_for_selector(".course svg")
    visitor.page.locator(".costly button").click()
    visitor.page.wait_for_selector(".costly li")


def shot(visitor: Visitor, move: str = "scrollTo(0, 0)") -> Image.Image:
    """Return what the window shows, moved by a script."""
    visitor.page.evaluate(move)
    visitor.page.wait_for_timeout(2000)  # what is new is marked for so long
    return Image.open(io.BytesIO(visitor.page.screenshot())).convert("RGB")


def pair(wide: Image.Image, phone: Image.Image) -> Image.Image:
    """Return a wide picture and a phone's beside each other."""
    small = [one.resize((one.width * HIGH // one.height, HIGH), Image.Resampling.LANCZOS) for one in (wide, phone)]
    whole = Image.new("RGB", (sum(one.width for one in small) + GAP, HIGH), "white")
    whole.paste(small[0], (0, 0))
    whole.paste(small[1], (small[0].width + GAP, 0))
    return whole.quantize(2 * COLOURS)


def sheet(pictures: list[Image.Image], columns: int, across: int) -> Image.Image:
    """Return pictures side by side in rows, in few colours."""
    small = [one.resize((across, one.height * across // one.width), Image.Resampling.LANCZOS) for one in pictures]
    high, rows = small[0].height, -(-len(small) // columns)
    whole = Image.new("RGB", (columns * (across + GAP) - GAP, rows * (high + GAP) - GAP), "white")
    for number, one in enumerate(small):
        whole.paste(one, (number % columns * (across + GAP), number // columns * (high + GAP)))
    return whole.quantize(COLOURS)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
