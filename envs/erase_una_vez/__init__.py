"""*Érase una vez*: a storytelling game in which players take the tale over and steer it to a secret ending."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.picture.drawing import unnamed
from sobremesa.envs.core.sayings import TaleWords
from sobremesa.envs.core.wording import (
    ListWords,
    Narrow,
    PauseWords,
    PictureWords,
    SpellingWords,
    StoredWords,
    TermWords,
)
from sobremesa.envs.core.words import renamed
from sobremesa.envs.erase_una_vez import knowledge, notation, observe, rules, state
from sobremesa.envs.erase_una_vez.drawing import cards, narrow, scene
from sobremesa.envs.erase_una_vez.fair_votes import FAIR_VOTES
from sobremesa.envs.erase_una_vez.points import points
from sobremesa.envs.erase_una_vez.problems import problems
from sobremesa.envs.erase_una_vez.text.own_words import OwnWords
from sobremesa.envs.erase_una_vez.text.paragraphs import paragraphs, whole_tale
from sobremesa.envs.erase_una_vez.text.refusals import why
from sobremesa.envs.erase_una_vez.text.story import tell
from sobremesa.envs.erase_una_vez.text.table import asks, describe
from sobremesa.envs.erase_una_vez.text.words import TEXTS, TITLE, tale_words, terms

_FLAG = (False, True)
_FIRST = ("random", "letter", *(f"seat {seat}" for seat in range(state.MAX_SEATS)))

OPTIONS = (
    Option("seats", 3, range(2, state.MAX_SEATS + 1), "players at the table"),
    Option("judge", "votes", ("rules", "votes", "mixed"), "who decides what is doubtful (O1)"),
    Option("strictness", "lenient", ("lenient", "strict"), "what an ending has to fit (O2)"),
    Option("between_cards", 0, range(3), "sentences without a card between two cards (O3)"),
    Option("rejected", "under", ("under", "kept"), "a refused ending goes under the pile or stays in hand (O4)"),
    Option("protest_card", "back", ("back", "stays"), "the card of an undone sentence: back to its hand or not (O5)"),
    Option("chain", False, _FLAG, "the card of one who breaks in may be interrupted too (O6)"),
    Option("hook", "automatic", ("automatic", "manual"), "who chooses what a sentence hangs on (O7)"),
    Option("special_tells", False, _FLAG, "a card that interrupts is told of too (O8)"),
    Option("pass_draw", "after", ("after", "before"), "who passes draws after the discard, or before it (O9)"),
    Option("reshuffle", True, _FLAG, "discards make a new deck once it is empty (O10)"),
    Option("begins", "random", _FIRST, "first narrator: by lot, by letter, or a seat, counted round (O11, V3)"),
    Option("must_end", False, _FLAG, "a narrator without cards may not pass (O12)"),
    Option("protest_penalty", False, _FLAG, "who protests in vain, as voters may find, draws a card (O13)"),
    Option("auto_protest", False, _FLAG, "what makes no sense is undone unasked (O14)"),
    Option("max_sentences", state.MAX_SENTENCES, range(10, state.MAX_SENTENCES + 1), "longest tale (O15)"),
    Option("beginners", 0, range(state.MAX_SEATS + 1), "seats, from the first on, that hold two endings (V1)"),
    Option("change_ending", False, _FLAG, "who passes may change an ending instead of discarding (V2)"),
    Option("fine", 2, range(3), "hundredths of a win that a vote against the judge costs, judge `mixed` (O1)"),
    Option("telling", "sentences", ("sentences", "words"), "the game's sentences, or one's own words (O16)", later=1),
)  # fmt: skip


def figures(ends: np.ndarray) -> dict[str, np.ndarray]:
    """Return the figures of ended deals `(N,)`: sentences, changes of narrator by cause, refusals, the ending."""
    told = np.arange(state.LOG_ROWS) < ends["sentences"][:, None]
    kinds = np.where(told, ends["log"][:, :, state.LOG_KIND], 255)
    fates = np.where(told, ends["log"][:, :, state.LOG_FATE], 255)
    names = np.array(["", "an ending", "too long"])
    return {
        "first": ends["first"],
        "sentences": ends["sentences"],
        "cards on the table": (ends["where"] == state.TABLE).sum(axis=1),
        "claimed": (fates == state.CLAIMED).sum(axis=1),
        "interrupted": ((fates == state.INTERRUPTED) | (fates == state.TOLD_TOO)).sum(axis=1),
        "protested": (fates == state.UNDONE).sum(axis=1),
        "passed": (kinds == state.PASS).sum(axis=1),
        "wrong claims": ends["wrong"],
        "endings refused": (fates == state.REFUSED).sum(axis=1),
        "end": names[ends["ending_kind"]],
    }


@dataclass(frozen=True, kw_only=True)
class EraseWords(PictureWords, ListWords, TermWords, SpellingWords, StoredWords, PauseWords, TaleWords):
    """The texts and pictures of *Érase una vez*."""


GAME = Game(
    name="erase_una_vez",
    version=2,
    package=__name__,
    state=state.STATE,
    reset=rules.reset,
    legal=rules.legal,
    play=rules.play,
    go_on=rules.go_on,
    payoff=rules.payoff,
    observe=observe.observe,
    redeal=knowledge.redeal,
    reshuffle=knowledge.reshuffle,
    num_actions=state.NUM_ACTIONS,
    layout=observe.LAYOUT,
    options=OPTIONS,
    max_plies=state.MAX_PLIES,
    words=EraseWords(
        title=TITLE,
        action_name=notation.action_name,
        parse_action=notation.parse_action,
        renamed=renamed(TEXTS, tale_words),
        spellings=notation.spellings,
        names_now=notation.names_now,
        stored_name=notation.stored_name,
        describe=describe,
        asks=asks,
        why=why,
        scene=unnamed(scene.scene),
        followed=scene.scene,
        tell=tell,
        help=notation.help_text,
        details=notation.details,
        setup=TEXTS["setup"],
        points=partial(points, scene.places),
        narrow=Narrow(narrow.scene, partial(points, narrow.places)),
        entry=notation.entry,
        terms=terms,
        ordered=notation.ordered,
        pause=notation.pause,
        tale=whole_tale,
        telling=OwnWords(),
        paragraphs=paragraphs,
        vignette=cards.vignette,
    ),
    problems=problems,
    all_there=state.is_complete,
    figures=figures,
    too_long=lambda ends: ends["ending_kind"] == state.TOO_LONG,
    hidden=("pieces", "turns"),
    later=state.LATER,
    fair_votes=FAIR_VOTES,
)

env, raw_env = constructors(GAME)
