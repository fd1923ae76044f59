"""A server process with fixed seeds, and visitors that play in a real browser with the mouse or the keyboard."""

import contextlib
import os
import shutil
import subprocess
import sys

import pytest

PATIENCE = 300_000  # milliseconds; a server whose kernels are cold compiles them first
WIDE, PHONE = (1280, 900), (390, 844)
ASKED = "(!document.querySelector('#moves').hidden || !document.querySelector('#over').hidden)"
READY = "document.querySelector('#table').dataset.ready !== 'no'"  # input counts again
INSTALL = "tests/browser/install.sh brings Chromium"
SERVE = """
import itertools
from sobremesa import cli
from sobremesa.serve import lobby
lobby.new_seed = itertools.count(1).__next__
cli.main()
"""


@contextlib.contextmanager
def running(folder, port="0", names=()):
    """Run a server, by default on a free port, that accepts host `names`; yield its address and process."""
    command = [sys.executable, "-c", SERVE, "serve", "--port", port, "--folder", str(folder)]
    command += ["--allow-host", *names] if names else []
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
    """Run Debian's Chromium; skip the test if it is missing."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = shutil.which("chromium")
    if program is None:
        pytest.skip(f"there is no Chromium; {INSTALL}")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


class Visitor:
    """A browser window; `complaints` lists the errors and warnings of its console.

    With `pen` the list of moves is folded where the visitor can write.
    """

    def __init__(self, browser, home, size=WIDE, language="en", pause=0, pen=False):
        self.home, self.language = home, language
        self.context = browser.new_context(
            viewport={"width": size[0], "height": size[1]}, reduced_motion="reduce", has_touch=size == PHONE
        )
        self.context.add_init_script(f"localStorage['sobremesa.pause'] ??= '{pause}'")
        self.context.add_init_script(f"localStorage['sobremesa.list'] ??= '{'no' if pen else 'yes'}'")
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.complaints = []
        self.page.on("console", lambda one: one.type in ("error", "warning") and self.complaints.append(one.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))

    def sit_down(self, game, how="quick"):
        """Start a quick or a guided deal of `game` with one click in the lobby."""
        self.page.goto(f"{self.home}/?language={self.language}")
        self.page.locator(f'form:has(input[name="{how}"]):has(input[value="{game}"]) button').click()
        self.wait()

    def open(self, address):
        """Open an address of the server and wait for its table."""
        self.page.goto(f"{self.home}{address}")
        self.wait()

    def wait(self):
        """Wait for the visitor's turn or the end of the deal; return whether it is their turn."""
        self.page.wait_for_selector("#scene svg", state="attached")
        self.page.wait_for_function(f"() => {ASKED} && {READY}")
        return not self.over

    @property
    def over(self):
        return self.page.locator("#over").is_visible()

    @property
    def fits(self):
        """Whether the page fits the width of the window."""
        return self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")

    def barriers(self, impacts=("serious", "critical")):
        """Return the accessibility violations of these impacts that axe-core finds."""
        axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe-core is not installed")
        found = axe.Axe().run(self.page).response["violations"]
        return [
            (one["id"], [node["html"][:200] for node in one["nodes"]][:3]) for one in found if one["impact"] in impacts
        ]

    def state(self):
        """Return a key of the current decision."""
        return self.page.evaluate("document.querySelector('#table').dataset.shown")

    def told(self, words):
        """Wait until the event log has this text."""
        self.page.wait_for_function("words => document.querySelector('#told').innerText === words", arg=words)

    def moved(self, before):
        """Wait until the state differs from `before`."""
        self.page.wait_for_function(
            f"before => document.querySelector('#table').dataset.shown !== before && {ASKED} && {READY}", arg=before
        )

    def choices(self):
        """Return the buttons of the moves, once input counts again."""
        self.page.wait_for_function(f"() => {READY}")
        return self.page.locator("#list button:visible")

    def point(self, lot):
        """Make a random move with the mouse: point at pieces, then use buttons if several moves remain."""
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

    def finish(self):
        """Play a move that is chosen on the board, or the first of those that are left, if none has been sent."""
        if self.page.locator("#choice").is_visible():
            self.page.wait_for_timeout(450)  # else it is a double click
            if self.page.locator("#confirm").is_visible():
                self.page.locator("#confirm").click()
            else:
                self.page.locator("#list button:visible").first.click()

    def press(self, lot):
        """Make a random move with the keyboard."""
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
        """Call `move` until the deal is over or `moves` are made; return their number."""
        made = 0
        while self.wait() and (moves is None or made < moves):
            move()
            made += 1
        return made
