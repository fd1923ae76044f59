"""Names of the actions of *Corre el encierro*, written and parsed; English takes the Spanish names of cards too."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import cache

import numpy as np

from sobremesa.envs.core.compile.kernel import as_python
from sobremesa.envs.core.game import SEAT_SIGNS, check_language
from sobremesa.envs.core.picture.words import Names
from sobremesa.envs.core.words import wrapped
from sobremesa.envs.corre_el_encierro import cards as c, state as s
from sobremesa.envs.corre_el_encierro.cards import is_special
from sobremesa.envs.corre_el_encierro.text.cards import CARD_WORDS, card_name, effect
from sobremesa.envs.corre_el_encierro.text.words import MOVES, TEXTS

# Combinations of cards, by action.
TOGETHER = {
    s.A_CARRERA: (c.AVANZAR, c.CARRERA),
    s.A_ZAPATILLAS: (c.AVANZAR, c.ZAPATILLAS),
    s.A_PATRON: (c.SANTO_PATRON, c.HEMINGWAY),
}


@cache
def _names(language: str) -> tuple[str, ...]:
    """Return the names of all actions, in the order of the blocks in state.py."""
    return _named_by(tuple(card_name(card, language) for card in range(c.NUM_CARDS)), language)


def _named_by(cards: tuple[str, ...], language: str) -> tuple[str, ...]:
    """Return the names of all actions with these names of the cards."""
    targets = [f"+{steps}" for steps in range(1, s.NUM_OTHERS + 1)]
    attacks = cards[c.FIRST_ATTACK : c.FIRST_ATTACK + c.NUM_ATTACKS]
    return (
        *(words[0] for words in MOVES[language]["turn"]),
        *(f"{MOVES[language]['discard'][0]} {card}" for card in cards[: c.NUM_HAND_CARDS]),
        cards[c.AVANZAR],
        *(" + ".join(cards[card] for card in pair) for pair in TOGETHER.values()),
        *(f"{cards[c.INTERCAMBIO]} {target}" for target in targets),
        *(f"{MOVES[language]['lay'][0]} {card}" for card in cards[c.FIRST_SPECIAL : c.FIRST_SPECIAL + c.NUM_SPECIALS]),
        cards[c.PERDIDOS],
        *(f"{attack} {target}" for attack in attacks for target in targets),
        *cards[: c.NUM_DEFENCES],
        *(f"{cards[c.TORO_VOLTEADO]} {target}" for target in targets),
        *cards[c.FIRST_SPECIAL : c.LIQUIDO + 1],
        cards[c.OTRA_VEZ],
        *(words[0] for words in MOVES[language]["pay"]),
    )


@cache
def _stored_names() -> tuple[str, ...]:
    names = _named_by(tuple(card.name for card in c.CARDS), "en")
    return (*names[: s.A_GIVE_UP], f"lose {c.OBJECT_NAMES[0]}")


def stored_name(action: int) -> str:
    """Return the name of `action` in files: in English with the Spanish names of cards."""
    return _stored_names()[action]


@cache
def spellings(language: str) -> dict[str, list[int]]:
    """Return other spellings of the names of actions, and the names of cards, with the actions about each."""
    found: dict[str, list[int]] = defaultdict(list)
    for names in {_names(language), _named_by(tuple(card.name for card in c.CARDS), language)}:
        for action, name in enumerate(names):
            found[name].append(action)
    for card, one in enumerate(c.CARDS):
        name = re.escape(card_name(card, language))
        about = re.compile(rf"(?:^|.* )(?:{name})(?: [+].*)?")
        actions = [action for action, of in enumerate(_names(language)) if about.fullmatch(of)]
        found |= dict.fromkeys({card_name(card, language), one.name}, actions)
    for name, *phrases in MOVES[language]["asked"]:
        for phrase in phrases:
            found[phrase].append(_names(language).index(name))
    return found


def names_now(table: np.ndarray, language: str) -> dict[str, list[int]]:
    """Return the names that the text of the `(1,)` state `table` has for its seat to act, with their actions.

    They are cards of which the hand has several, and cards with the runners at whom they are aimed.
    """
    state, found = table[0], defaultdict[str, list[int]](list)
    for kind in np.flatnonzero(state.hand[state.seat] > 1).tolist():
        name = card_name(kind, language)
        found[f"{int(state.hand[state.seat, kind])} {name}"] += spellings(language)[name]
    for action in range(s.NUM_ACTIONS):
        if (tail := entry(action, language, table)[1]) != action_name(action, language):
            found[tail].append(action)
    return found


def _card_words(card: int, language: str) -> tuple[str, ...]:
    """Return all words for a card: its name and shorter ones, in English those in Spanish too."""
    found = (c.CARDS[card].name, *CARD_WORDS["es"].get(card, ()))
    if language == "en":
        found = (c.CARDS[card].english, *CARD_WORDS["en"].get(card, ()), *found)
    return found


def _plain(language: str) -> Iterator[tuple[str, int]]:
    """Yield the inputs that name a card or a combination, with their actions."""
    words = {card: _card_words(card, language) for card in range(c.CHULIN)}
    single = {
        c.AVANZAR: s.A_ADVANCE,
        c.PERDIDOS: s.A_RECOVER,
        c.OTRA_VEZ: s.A_ANSWER,
        c.CARRERA: s.A_CARRERA,
        c.ZAPATILLAS: s.A_LAY + 2,
    }
    single |= {kind: s.A_DEFEND + kind for kind in range(c.NUM_DEFENCES)}
    targeted = {c.INTERCAMBIO: s.A_SWAP, c.TORO_VOLTEADO: s.A_SEND}
    targeted |= {c.FIRST_ATTACK + attack: s.A_ATTACK + attack * s.NUM_OTHERS for attack in range(c.NUM_ATTACKS)}
    for card, action in single.items():
        yield from ((word, action) for word in words[card])
    for card, action in targeted.items():
        yield from ((f"{word} {steps + 1}", action + steps) for word in words[card] for steps in range(s.NUM_OTHERS))
    for action, (one, other) in TOGETHER.items():
        for first in words[one]:
            for second in words[other]:
                yield from ((f"{first} {link} {second}", action) for link in ("", "and", "with", "y", "con"))
                yield f"{second} {first}", action


def said(language: str) -> Iterator[tuple[str, int]]:
    """Yield every accepted input in `language` with its action."""
    yield from ((name, action) for action, name in enumerate(_names(language)))
    for first, lists in ((0, "turn"), (s.A_PAY_OBJECT, "pay")):
        for number, words in enumerate(MOVES[language][lists]):
            yield from ((word, first + number) for word in words)
    for word, action in _plain(language):
        yield word, action
        yield from ((f"{verb} {word}", action) for verb in MOVES[language]["play"])
    for kind in range(c.NUM_HAND_CARDS):
        for word in _card_words(kind, language):
            yield from ((f"{verb} {word}", s.A_DISCARD + kind) for verb in MOVES[language]["discard"])
            if as_python(is_special)(kind):
                yield from ((f"{verb} {word}", s.A_LAY + kind - c.FIRST_SPECIAL) for verb in MOVES[language]["lay"])
            if kind in (c.CAPOTE, c.LIQUIDO):
                shield = s.A_SHIELD + kind - c.FIRST_SPECIAL
                yield word, shield
                yield f"{MOVES[language]['play'][-1]} {word}", shield


NAMES = Names(s.NUM_ACTIONS, said, MOVES, ("+1", "no_target"))
action_name = NAMES.name  # `Big Heads +2`, `discard Sidestep`, `draw`


def entry(action: int, language: str, table: np.ndarray) -> tuple[str, str]:
    """Return no heading, and the name of `action` in the `(1,)` state `table`, with its target: `Big Heads on ②`."""
    for first, count, key_ in ((s.A_SWAP, 1, "swap"), (s.A_ATTACK, c.NUM_ATTACKS, "attack"), (s.A_SEND, 1, "send")):
        if first <= action < first + count * s.NUM_OTHERS:
            card, steps = divmod(action - first, s.NUM_OTHERS)
            kind = {"swap": c.INTERCAMBIO, "send": c.TORO_VOLTEADO}.get(key_, c.FIRST_ATTACK + card)
            other = SEAT_SIGNS[(int(table["seat"][0]) + steps + 1) % int(table["seats"][0])]
            return "", MOVES[language][key_].format(card=card_name(kind, language), other=other)
    return "", action_name(action, language)


def parse_action(text: str, language: str) -> int:
    """Return the action that `text` names; case, accents and spaces do not matter.

    A bare card means its own effect: `Cape` shields from a bull (it is laid by `lay Cape`), `Running Shoes` are laid,
    `Patron Saint` repels, and `Run of Your Life` goes with Advance a Stretch. Raises ValueError for text
    that is no action.
    """
    return NAMES.parse(text, language)


def help_text(language: str) -> str:
    """Return the rules in short, all cards with their effects, and how to type moves."""
    check_language(language)
    groups: dict[str, list[str]] = {}
    for card, copies in enumerate(c.COPIES[c.STANDARD]):
        name = card_name(card, language)
        groups.setdefault(effect(card, language), []).append(name if copies == 1 else f"{copies} {name}")
    lines = wrapped((f"{', '.join(names)}: {what}" for what, names in groups.items()), "- ")
    help_: str = TEXTS["help"][language].format(cards="\n".join(lines))
    return help_
