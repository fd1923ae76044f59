"""A person at the terminal: types moves by name or by number, in Spanish or English."""

import math
import re
import textwrap
import time
from collections.abc import Callable, Sequence

from sobremesa.envs.core.agent import View
from sobremesa.envs.core.picture.words import key
from sobremesa.envs.core.sayings import Saying, Telling, meanings, telling_now, words_of
from sobremesa.envs.core.wording import PauseWords, entry_of, in_order, typed_entries

FEW = 12  # up to this many choices are numbered, one a line; more are grouped
MANY = 24  # choices under one heading, from which on only their number is shown until letters are typed
COLUMNS = 78
_HARD = "\N{NO-BREAK SPACE}"  # lines do not break here

_WORDS = {
    "en": {
        "ask": "Your move",
        "choices": "You may play",
        "bad": "not allowed now",
        "hint": "Hint",
        "quit": "q quits, ? helps",
        "quit or hint": "hint, q quits, ? helps",
        "late": "Too late: a pause of more than {:g} seconds.",
        "find": "Type some letters to see which, such as {!r}, or {!r} for all.",
        "words": "What happens next? Tell it in your own words, up to {} characters.\n{!r} shows your cards and moves.",
        "list": "list",
        "stands": "Type a number to tell your sentence so, Enter for 1, or another sentence:",
        "none": "None of these can be told now. Reword your sentence, or name a move.",
    },
    "es": {
        "ask": "Tu jugada",
        "choices": "Puedes jugar",
        "bad": "no se puede ahora",
        "hint": "Pista",
        "quit": "q sale, ? ayuda",
        "quit or hint": "pista, q sale, ? ayuda",
        "late": "Demasiado tarde: una pausa de más de {:g} segundos.",
        "find": "Escribe unas letras para ver cuáles, como {!r}, o {!r} para todas.",
        "words": "¿Qué pasa ahora? Cuéntalo con tus palabras, hasta {} caracteres.\n{!r} muestra tus cartas y jugadas.",
        "list": "lista",
        "stands": "Escribe un número para contar así tu frase, Intro para el 1, u otra frase:",
        "none": "Nada de esto se puede contar ahora. Cambia tu frase o nombra una jugada.",
    },
}


class Quit(Exception):
    """The person has quit."""


class Human:
    """A person: `ask` reads a line of input, `tell` shows a text.

    With `pause`, an answer after more than so many seconds counts as a pause, in games that have a rule for it.
    """

    name = "human"

    def __init__(
        self, language: str = "en", ask: Callable[[str], str] = input, tell: Callable[[str], None] = print
    ) -> None:
        self.language = language
        self.ask, self.tell = ask, tell
        self.hint: Callable[[View], list[str]] | None = None  # returns a hint for a decision, in sentences
        self.hints_each = False  # whether the hint comes with each decision, not only when it is asked for
        self.pause = math.inf  # seconds
        self._paused: int | None = None  # the action of a pause just now
        self._waited = 0.0  # seconds, for the lines of a decision
        self._saying: Saying | None = None  # own words for the last action

    def act(self, view: View) -> int:
        """Return the action that the person types in time, else the action of a pause; raise Quit as `_typed` does."""
        silence = _silence(view)
        paused, self._paused = self._paused, None
        self._saying = None
        if paused is not None and silence not in (None, paused):  # what follows from the pause
            return int(silence)
        self._waited = 0.0
        action = self._typed(view)
        if silence is None or self._waited <= self.pause:
            return action
        self.tell(_WORDS[self.language]["late"].format(self.pause))
        self._paused, self._saying = silence, None
        return silence

    def said(self) -> Saying | None:
        """Return the sentence in own words that the last action means; None for the game's own words."""
        return self._saying

    def _typed(self, view: View) -> int:
        """Show the table and read lines until one is a legal action; raise Quit on `q` or at the end of input."""
        words = _WORDS[self.language]
        self.tell("\n" + words_of(view.game, view.sayings).describe(view.state, view.seat, self.language))
        choices = shown = in_order(view.game.words, view.state, [int(action) for action in view.mask.nonzero()[0]])
        telling = telling_now(view.game, view.state)
        offered: list[int] = []  # what a sentence in own words can stand for
        listed = f"\n{words['choices']}:\n" + self._list(view, choices)
        self.tell(listed if telling is None else "\n" + words["words"].format(telling.longest, words["list"]))
        if self.hints_each:
            self._hint(view)
        while True:
            try:
                text = self._read_line(f"{words['ask']} ({words['quit or hint' if self.hint else 'quit']}): ").strip()
            except EOFError:
                raise Quit from None
            if text.lower() in ("q", "quit", "salir"):
                raise Quit
            if text in ("?", "help", "ayuda"):
                self.tell(view.game.words.help(self.language))
                continue
            if telling is not None and text.lower() in (words["list"], "list"):
                self.tell(listed)
                continue
            if text.lower() in ("hint", "pista") and self.hint is not None:
                self._hint(view)
                continue
            if offered and (not text or text.isdecimal()) and len(text) < FEW and 1 <= int(text or "1") <= len(offered):
                return offered[int(text or "1") - 1]
            if text.isdecimal() and len(text) < FEW and 1 <= int(text) <= len(shown) <= FEW:
                self._saying = None
                return shown[int(text) - 1]
            action, complaint = self._parse(view, text, choices)
            if action in choices:
                if action not in offered:
                    self._saying = None
                return action
            if telling is not None and action is None and (len(text.split()) > 1 or text.endswith((".", "!", "?"))):
                offered = self._confirm_sentence(view, telling, text)
                continue
            shown = self._found(view, choices, text) or choices
            if complaint and (shown is choices or action is not None):
                self.tell(complaint)
            self.tell(self._list(view, shown, whole=shown is not choices))

    def _read_line(self, prompt: str) -> str:
        """Return a line of the person, and count the time until it; drawing the table and hints are not theirs."""
        began = time.monotonic()
        try:
            return self.ask(prompt)
        finally:
            self._waited += time.monotonic() - began

    def _hint(self, view: View) -> None:
        """Show the hint for a decision."""
        assert self.hint is not None
        lines = [textwrap.fill(f"  {line}", COLUMNS, subsequent_indent="     ") for line in self.hint(view)]
        self.tell("\n".join([f"\n{_WORDS[self.language]['hint']}:", *lines]))

    def _confirm_sentence(self, view: View, telling: Telling, text: str) -> list[int]:
        """Show what the table would hear in a sentence; return what it can mean, likeliest first."""
        words = _WORDS[self.language]
        try:
            self._saying = telling.listen(view.state, text, telling.language(text, self.language))
        except ValueError as error:
            self.tell(f"{error}.")
            self._saying = None
            return []
        self.tell(telling.preview(view.state, self._saying, self.language).text)
        offered = meanings(view.game, view.state, self._saying, self.language)
        if offered:
            self.tell(words["stands"])
        self.tell("\n".join(f"  {number}) {name}" for number, (_, name) in enumerate(offered, 1)) or words["none"])
        return [action for action, _ in offered]

    def _parse(self, view: View, text: str, choices: Sequence[int]) -> tuple[int | None, str]:
        """Return the action that a text names, if any, and a complaint if it is illegal."""
        try:
            action = view.game.words.parse_action(text, self.language)
        except ValueError as error:
            listed = [action for action in choices if key(text) in map(key, self._names(view, action))]
            return (listed[0], "") if len(listed) == 1 else (None, str(error))
        if action in choices:
            return action, ""
        why = view.game.words.why(view.state, action, self.language)
        return action, f"{view.game.words.action_name(action, self.language)}: {why or _WORDS[self.language]['bad']}."

    def _found(self, view: View, choices: Sequence[int], text: str) -> list[int]:
        """Return the choices with `text` in their names; an empty list where a game has no headings."""
        wanted = key(text)
        if not typed_entries(view.game.words) or not wanted:
            return []
        return [action for action in choices if any(wanted in key(name) for name in self._names(view, action))]

    def _names(self, view: View, action: int) -> tuple[str, ...]:
        """Return the names under which an action may be in the list: with its heading, with its verb, in full."""
        head, tail = self._entry(view, action)
        return f"{head} {tail}", f"{head.partition(' ')[0]} {tail}", view.game.words.action_name(action, self.language)

    def _entry(self, view: View, action: int) -> tuple[str, str]:
        """Return the heading of an action, and its name below it."""
        if typed_entries(view.game.words):
            return entry_of(view.game.words, action, self.language, view.state)
        head, _, tail = view.game.words.action_name(action, self.language).rpartition(" ")
        return head, tail

    def _list(self, view: View, choices: Sequence[int], whole: bool = False) -> str:
        """Return the choices in lines: a few numbered, more under headings, all of them if `whole`."""
        entries = [self._entry(view, action) for action in choices]
        if len(entries) <= FEW:
            return "\n".join(f"  {number}) {' '.join(entry).strip()}" for number, entry in enumerate(entries, 1))
        groups: dict[str, list[str]] = {}
        for head, tail in entries:
            groups.setdefault(head, []).append(tail)
        named = typed_entries(view.game.words)
        lines, hidden = [], ""
        for head, tails in groups.items():
            if named and head and not whole and len(tails) > MANY:
                lines.append(f"  {head}: {len(tails)}")
                hidden = hidden or head
            else:
                lines += _wrapped(head, tails, named)
        if hidden:
            words = re.findall(r"[^\W\d_]+", groups[hidden][0])
            lines.append(_WORDS[self.language]["find"].format(words[0][:2].lower(), hidden.split()[0]))
        return "\n".join(lines)


def _silence(view: View) -> int | None:
    """Return the action of a person who pauses for too long; None if a pause is allowed."""
    words = view.game.words
    return words.pause(view.state) if isinstance(words, PauseWords) else None


def _wrapped(head: str, tails: Sequence[str], named: bool) -> list[str]:
    """Return a heading and the names below it, in lines that break between names only."""
    joined = (", " if named else " ").join(tail.replace(" ", _HARD) for tail in tails)
    colon = ":" if named and joined else ""
    lines = textwrap.wrap(f"{head}{colon} {joined}".strip(), COLUMNS, initial_indent="  ", subsequent_indent="      ",
                          break_on_hyphens=False)  # fmt: skip
    return [line.replace(_HARD, " ") for line in lines]
