"""Whole deals by the keyboard alone and by the accessibility tree alone, and checks of contrast, names and motion."""

import time

import pytest
from browsing import PHONE, WIDE, Visitor
from scale import COMPILED_ONLY

from sobremesa.serve.words import WORDS

pytestmark = [COMPILED_ONLY, pytest.mark.thorough, pytest.mark.filterwarnings("ignore::ResourceWarning")]
BOTH = pytest.mark.parametrize("language", ["en", "es"])
CALM = 0.45  # seconds after which input counts
PATIENCE = 300.0  # seconds until a cold server has compiled


class Keyboard:
    """A person without a mouse: only `page.keyboard` acts."""

    def __init__(self, visitor):
        self.page, self.keys = visitor.page, visitor.page.keyboard

    def at(self, selector):
        return self.page.evaluate("selector => document.activeElement.matches(selector)", selector)

    def reach(self, selector):
        """Press Tab until the focus is on `selector`, and check that the focus is visible there."""
        for _ in range(150):
            if self.at(selector):
                break
            self.keys.press("Tab")
        assert self.at(selector), selector
        assert self.page.evaluate("getComputedStyle(document.activeElement).outlineStyle !== 'none'"), selector

    def press(self, selector):
        self.reach(selector)
        self.keys.press("Enter")


@BOTH
def test_a_deal_is_played_and_reviewed_by_keyboard(browser, home, language):
    visitor = Visitor(browser, home, WIDE, language)
    page, person = visitor.page, Keyboard(visitor)
    page.goto(f"{home}/?language={language}")
    person.press(".games li:nth-child(4) > p > a")  # Ese Toro enamorado
    page.wait_for_selector("form.setup")
    person.press("form.setup summary")
    for option in ("mountains", "max_rounds"):
        person.reach(f'[name="option.{option}"]')
        person.keys.press("End" if option == "mountains" else "Home")
    person.press("form.setup button.main")
    visitor.wait()
    person.reach("#list button")
    moves = 0
    while visitor.wait():
        assert person.at("#list button")  # after each move the first choice has the focus
        before = visitor.state()
        person.keys.press("End")
        person.keys.press("Enter")
        visitor.moved(before)
        moves += 1
    assert moves > 1
    assert person.at(".result")  # it reads out who has won
    person.press(".costly button")
    page.wait_for_selector(".costly h2")
    assert person.at(".costly h2")
    person.press("#over a[href$='language=" + language + "']")
    page.wait_for_selector("#scene svg")
    person.keys.press("ArrowRight")
    assert page.locator("#count").inner_text().startswith("2 /")
    assert not visitor.complaints


class Tree:
    """A screen reader: it knows roles, names and live regions of the accessibility tree, and acts on its nodes."""

    def __init__(self, visitor):
        self.wire = visitor.context.new_cdp_session(visitor.page)

    def nodes(self):
        found = self.wire.send("Accessibility.getFullAXTree")["nodes"]
        return {one["nodeId"]: one for one in found if not one["ignored"] or one.get("childIds")}

    def named(self, role, name="", inside=""):
        """Return the nodes of a role with a part of a name, in the group that is called `inside`."""
        nodes = self.nodes()

        def groups(one):
            while one := nodes.get(one.get("parentId", "")):
                yield one.get("name", {}).get("value", "")

        return [
            one
            for one in nodes.values()
            if one.get("role", {}).get("value") == role
            and name in one.get("name", {}).get("value", "")
            and (not inside or inside in groups(one))
        ]

    def wait(self, *wanted):
        """Return the first of some (role, name, group) that is there, with its nodes, once input counts."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            for one in wanted:
                if found := self.named(*one):
                    time.sleep(CALM)
                    return one, self.named(*one) or found
            time.sleep(0.1)
        raise AssertionError(f"none of {wanted} is in the tree")

    def act(self, node):
        """Do the default action of a node."""
        thing = self.wire.send("DOM.resolveNode", {"backendNodeId": node["backendDOMNodeId"]})["object"]["objectId"]
        self.wire.send(
            "Runtime.callFunctionOn", {"objectId": thing, "functionDeclaration": "function () { this.click() }"}
        )

    def hears(self, words):
        """Wait until a live region says `words`; the tree follows the page with a delay."""
        end = time.monotonic() + PATIENCE
        while not any(words in text for text in self.said()):
            assert time.monotonic() < end, f"no live region says {words!r}"
            time.sleep(0.1)

    def said(self):
        """Return the texts of the live regions."""
        nodes = self.nodes()
        live = [one for one in nodes.values() if any(p["name"] == "live" for p in one.get("properties", []))]
        texts = [self._text(nodes, one) for one in live]
        return [text for text in texts if text]

    def _text(self, nodes, one):
        if one.get("role", {}).get("value") == "StaticText":
            return one["name"]["value"]
        return "".join(self._text(nodes, nodes[child]) for child in one.get("childIds", []) if child in nodes)


@BOTH
def test_a_deal_is_played_and_reviewed_by_the_accessibility_tree(browser, home, language):
    visitor, words = Visitor(browser, home, PHONE, language), WORDS[language]
    visitor.page.goto(f"{home}/game/ese_toro_enamorado?language={language}")
    visitor.page.evaluate("""() => {
        document.querySelector('[name="option.max_rounds"]').value = '1';
        document.querySelector('[name="option.mountains"]').value = 'by_night';
    }""")
    tree = Tree(visitor)
    tree.act(tree.wait(("button", words["begin"]))[1][0])
    move, over, moves = ("button", "", words["actions"]), ("button", words["rematch"]), 0
    while True:
        found, nodes = tree.wait(over, move)
        if found == over:
            break
        assert all(one["name"]["value"] for one in nodes)
        tree.hears(words["your turn"])
        tree.act(nodes[-1])
        moves += 1
        time.sleep(CALM)
    assert moves > 1
    results = [words[f"you {end}"] for end in ("won", "shared", "lost")]
    assert any(tree.named("StaticText", result) for result in results)
    tree.hears(words["over"])
    tree.act(tree.named("button", words["costly"])[0])
    tree.wait(("heading", words["costly title"]))
    tree.act(tree.named("link", words["film"])[0])
    tree.wait(("slider", ""))
    assert not visitor.complaints


@pytest.mark.parametrize("scheme", ["light", "dark"])
@BOTH
def test_pages_keep_to_the_guidelines(browser, home, language, scheme):
    visitor = Visitor(browser, home, PHONE, language)
    visitor.page.emulate_media(color_scheme=scheme)
    found = {}
    visitor.page.goto(f"{home}/?language={language}")
    found["lobby"] = visitor.barriers(("moderate", "serious", "critical"))
    for game in ("corre_el_encierro", "estafado"):
        visitor.sit_down(game)
        found[game] = visitor.barriers(("moderate", "serious", "critical"))
        visitor.choices().first.focus()
        found[f"{game} explained"] = visitor.barriers(("moderate", "serious", "critical"))
    assert not {place: what for place, what in found.items() if what}


@pytest.mark.parametrize("wish", ["reduce", "no-preference"])
def test_motion_is_reduced_on_request(browser, home, wish):
    visitor = Visitor(browser, home)
    visitor.page.emulate_media(reduced_motion=wish)
    visitor.sit_down("corre_el_encierro")
    before = visitor.state()
    visitor.choices().first.click()
    visitor.page.wait_for_function("before => document.querySelector('#table').dataset.shown !== before", arg=before)
    running_now = visitor.page.evaluate("document.getAnimations().length")
    assert bool(running_now) == (wish == "no-preference")
