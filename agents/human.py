"""A person at the terminal, who types moves by name or by number, in Spanish or English."""

from collections.abc import Callable, Iterable

from sobremesa.envs.core.agent import View

FEW = 12  # up to so many choices are listed with numbers, one a line; more are grouped

_WORDS = {
    "en": {"ask": "Your move", "choices": "You may play", "bad": "not allowed now", "quit": "q quits, ? helps"},
    "es": {"ask": "Tu jugada", "choices": "Puedes jugar", "bad": "no se puede ahora", "quit": "q sale, ? ayuda"},
}


class Quit(Exception):
    """The person has had enough."""


class Human:
    """A person, asked through `ask` (a line of input) and told things through `tell`."""

    name = "human"

    def __init__(
        self, language: str = "en", ask: Callable[[str], str] = input, tell: Callable[[str], None] = print
    ) -> None:
        self.language = language
        self.ask, self.tell = ask, tell

    def act(self, view: View) -> int:
        """Show the table and ask until the answer is a legal action; raise Quit on `q` or at the end of input."""
        words = _WORDS[self.language]
        self.tell("\n" + view.game.words.describe(view.state, view.seat, self.language))
        choices = [int(action) for action in view.mask.nonzero()[0]]
        self.tell(f"\n{words['choices']}:\n" + self._list(view, choices))
        while True:
            try:
                text = self.ask(f"{words['ask']} ({words['quit']}): ").strip()
            except EOFError:
                raise Quit from None
            if text.lower() in ("q", "quit", "salir"):
                raise Quit
            if text in ("?", "help", "ayuda"):
                self.tell(view.game.words.help(self.language))
                continue
            action = self._understand(view, text, choices)
            if action is not None:
                return action

    def _understand(self, view: View, text: str, choices: list[int]) -> int | None:
        if text.isdigit() and 1 <= int(text) <= len(choices) <= FEW:
            return choices[int(text) - 1]
        try:
            action = view.game.words.parse_action(text, self.language)
        except ValueError as error:
            self.tell(str(error))
            return None
        if action in choices:
            return action
        name = view.game.words.action_name(action, self.language)
        why = view.game.words.why(view.state, action, self.language) if view.game.words.why else ""
        self.tell(f"{name}: {why or _WORDS[self.language]['bad']}.\n" + self._list(view, choices))
        return None

    def _list(self, view: View, choices: list[int]) -> str:
        names = [view.game.words.action_name(action, self.language) for action in choices]
        if len(names) <= FEW:
            return "\n".join(f"  {number}) {name}" for number, name in enumerate(names, 1))
        return "\n".join(_grouped(names))


def _grouped(names: Iterable[str]) -> list[str]:
    """Return a line for each first word, followed by what may follow it."""
    groups: dict[str, list[str]] = {}
    for name in names:
        head, _, tail = name.rpartition(" ")
        groups.setdefault(head, []).append(tail)
    return ["  " + f"{head} {' '.join(tails)}".strip() for head, tails in groups.items()]
