"""The server in a process of its own, and people who play at it in a real browser: by pointing, or by keys alone.

Its deals are always the same ones, so that what a test meets does not hang on luck.
"""

import contextlib
import os
import shutil
import subprocess
import sys

import pytest

WIDE, PHONE = (1280, 900), (390, 844)
ASKED = "!document.querySelector('#moves').hidden || !document.querySelector('#over').hidden"
INSTALL = "tests/browser/install.sh brings Chromium"
SERVE = """
import itertools
from sobremesa import cli
from sobremesa.serve import lobby
lobby.new_seed = itertools.count(1).__next__
cli.main()
"""


@contextlib.contextmanager
def running(folder, port="0"):
    """Run a server, on a port that is free unless one is named; gives its address and process."""
    command = [sys.executable, "-c", SERVE, "serve", "--port", port, "--folder", str(folder)]
    environment = {**os.environ, "SOBREMESA_QUIET": "1"}
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        yield server.stdout.readline().strip().rstrip("/"), server
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


@contextlib.contextmanager
def chromium():
    """Run Debian's Chromium; skip the test where there is none."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip(f"there is no Chromium; {INSTALL}")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Visitor:
    """Somebody with a window of a browser; `complaints` is what its console says."""

    def __init__(self, browser, home, size=WIDE, language="en"):
        self.home, self.language = home, language
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", has_touch=size == PHONE
        )
        self.page = self.context.new_page()
        self.page.set_default_timeout(300_000)  # a server whose kernels are cold compiles them first
        self.complaints = []
        self.page.on("console", lambda one: one.type in ("error", "warning") and self.complaints.append(one.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def sit_down(self, game):
        """Begin a deal of `game` by one click in the lobby."""
        self.page.goto(f"{self.home}/?language={self.language}")
        self.page.locator(f'form:has(input[value="{game}"]) button').click()
        self.wait()

    def open(self, address):
        """Open an address of the server, and wait for the table there."""
        self.page.goto(f"{self.home}{address}")
        self.wait()

    def wait(self):
        """Wait until it is one's turn or the deal is over; return whether it is one's turn."""
        self.page.wait_for_selector("#scene svg", state="attached")
        self.page.wait_for_function(f"() => {ASKED}")
        return not self.over

    @property
    def over(self):
        return self.page.locator("#over").is_visible()

    @property
    def fits(self):
        """Whether nothing sticks out of the window to the side."""
        return self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def barriers(self):
        """Return what axe-core finds on the page that is serious or worse."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
        found = axe.Axe().run(self.page).response["violations"]
        return [
            (one["id"], [node["html"][:200] for node in one["nodes"]][:3])
            for one in found
            if one["impact"] in ("serious", "critical")
        ]

    def state(self):
        """Return what tells one decision from the next."""
        return self.page.evaluate("document.querySelector('#table').dataset.shown")

    def told(self, words):
        """Wait until the course of the deal is told in these `words`, as another window has them."""
        self.page.wait_for_function("words => document.querySelector('#told').innerText === words", arg=words)

    def moved(self, before):
        """Wait until the table has gone on from `before`."""
        self.page.wait_for_function(
            f"before => document.querySelector('#table').dataset.shown !== before && ({ASKED})", arg=before
        )

    def point(self, lot):
        """Make a move by pointing alone: at one thing after the other, at buttons where they leave several moves."""
        before = self.state()
        for _ in range(8):
            things = self.page.locator("#scene .point.can")
            if self.page.locator("#confirm").is_visible():
                self.page.locator("#confirm").click()
                break
            narrowing = self.page.evaluate("document.querySelector('#table').dataset.narrows") == "yes"
            if not narrowing or not things.count():
                choices = self.page.locator("#list button:visible")
                choices.nth(lot.randrange(choices.count())).click()
                break
            things.nth(lot.randrange(things.count())).locator(".touch").click(force=True)
            if self.state() != before or self.page.evaluate("document.querySelector('#moves').hidden"):
                break
        self.moved(before)

    def press(self, lot):
        """Make a move by keys alone, from wherever the focus is."""
        before, keys = self.state(), self.page.keyboard
        for _ in range(60):
            if self.page.evaluate("document.querySelector('#list').contains(document.activeElement)"):
                break
            keys.press("Tab")
        for _ in range(lot.randrange(4)):
            keys.press("ArrowDown")
        keys.press("Enter")
        self.moved(before)

    def play(self, move, moves=None):
        """Make moves by `move` until the deal is over, or so many; return how many."""
        made = 0
        while self.wait() and (moves is None or made < moves):
            move()
            made += 1
        return made
