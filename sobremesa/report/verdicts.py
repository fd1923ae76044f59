"""Judgements of moves in a player's words: one verdict and one reason a move, for hints and for the review of a deal.

Chances become tenths, since rollouts tell no smaller parts apart. Moves that they cannot tell apart get no figures.
"""

from collections.abc import Sequence
from typing import NamedTuple

LOW = 0.5  # of an equal share of the wins: a chance below is called low

_WORDS = {
    "en": {
        "you": "you win {} after it", "team": "the team wins {} after it",
        "every": "every game", "nearly": "nearly every game", "half": "about half of the games",
        "tenth": "about 1 game in 10", "tenths": "about {} games in 10", "hardly": "hardly any game",
        "few": "a few games",
        "only": "{name} – the only one: the computer has no other move to compare it with.",
        "vote": "{name} – the fair vote: a judge would vote so. How you vote is up to you.",
        "best": "{name} – the best: {reason}.",
        "good": "{name} – a good choice: {reason}.",
        "hard": "{name} – the best of a hard position: {reason}.",
        "even": "{name} – just as good: the computer saw no clear difference.",
        "weaker": "{name} – weaker: {reason}.",
        "fewer": "{} fewer",
        "chosen": "{name} – the computer would play it, after few games to compare.",
        "unsure": "{name} – perhaps as good: there were few games to compare.",
    },
    "es": {
        "you": "tras ella ganas {}", "team": "tras ella el equipo gana {}",
        "every": "todas las partidas", "nearly": "casi todas las partidas",
        "half": "más o menos la mitad de las partidas", "tenth": "una de cada 10 partidas",
        "tenths": "unas {} de cada 10 partidas", "hardly": "muy pocas partidas", "few": "algunas partidas",
        "only": "{name} – la única: el ordenador no tiene otra jugada con que compararla.",
        "vote": "{name} – el voto justo: así votaría un juez. Tu voto lo decides tú.",
        "best": "{name} – la mejor: {reason}.",
        "good": "{name} – una buena jugada: {reason}.",
        "hard": "{name} – la mejor de una posición difícil: {reason}.",
        "even": "{name} – igual de buena: el ordenador no vio una diferencia clara.",
        "weaker": "{name} – más floja: {reason}.",
        "fewer": "{} menos",
        "chosen": "{name} – la que jugaría el ordenador, con pocas partidas para comparar.",
        "unsure": "{name} – quizá igual de buena: hubo pocas partidas para comparar.",
    },
}  # fmt: skip


class Move(NamedTuple):
    """A move that a search has compared with the others."""

    action: int
    name: str
    part: float  # of the wins, or of the team's successes, from 0 to 1
    certain: bool  # whether all rollouts after it ended alike
    even: bool  # whether it cannot be told apart from the first move


def hints(moves: Sequence[Move], language: str, fair: float, team: bool, few: bool) -> list[tuple[int, str]]:
    """Return a sentence about each of `moves`, the best first, with its action.

    `fair` is an equal share of the wins. With `few` rollouts there are no figures, and the first move is a guess.
    """
    words, found = _WORDS[language], []
    who = words["team" if team else "you"]
    for number, move in enumerate(moves):
        reason = ""
        if few:
            verdict = "unsure" if number else "chosen"
        elif number:
            verdict = "even" if move.even else "weaker"
            reason = who.format(words["fewer"].format(difference(moves[0].part - move.part, language)))
        else:
            low = move.part < LOW * fair
            verdict = "only" if len(moves) == 1 else "hard" if low else "good" if moves[1].even else "best"
            reason = who.format(words["every"] if move.certain and move.part == 1 else _share(move.part, language))
        found.append((move.action, words[verdict].format(name=move.name, reason=reason)))
    return found


def fair_vote(name: str, language: str) -> str:
    """Return a sentence about a vote on another player's case, which no search compares."""
    return _WORDS[language]["vote"].format(name=name)


def difference(part: float, language: str) -> str:
    """Return a difference of two chances in words: "about 3 games in 10", "a few games"."""
    words, tenths = _WORDS[language], round(10 * part)
    return words["few" if part < 0.1 else "tenth" if tenths == 1 else "tenths"].format(tenths)


def _share(part: float, language: str) -> str:
    words, tenths = _WORDS[language], round(10 * part)
    names = {0: "hardly", 1: "tenth", 5: "half", 10: "nearly"}
    return words[names.get(tenths, "tenths")].format(tenths)
