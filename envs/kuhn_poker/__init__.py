"""Kuhn poker, a reference game with known optimal play."""

from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.wording import Words
from sobremesa.envs.kuhn_poker import knowledge, notation, observe, rules
from sobremesa.envs.kuhn_poker.drawing import scene
from sobremesa.envs.kuhn_poker.problems import problems

GAME = Game(
    name="kuhn_poker",
    version=1,
    package=__name__,
    state=rules.STATE,
    reset=rules.reset,
    legal=rules.legal,
    play=rules.play,
    payoff=rules.payoff,
    observe=observe.observe,
    redeal=knowledge.redeal,
    num_actions=rules.NUM_ACTIONS,
    layout=observe.LAYOUT,
    options=(Option("seats", rules.NUM_SEATS, range(rules.NUM_SEATS, rules.NUM_SEATS + 1), "players at the table"),),
    max_plies=rules.MAX_PLIES,
    words=Words(
        title={"en": "Kuhn poker", "es": "Póquer de Kuhn"},
        action_name=notation.action_name,
        parse_action=notation.parse_action,
        describe=notation.describe,
        scene=scene,
        tell=notation.tell,
        help=notation.help_text,
        renamed=lambda language: {"words": "kuhn", "signs": [("JQK", r"\b@\b")]},
    ),
    problems=problems,
)

env, raw_env = constructors(GAME)
