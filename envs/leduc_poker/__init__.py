"""Leduc poker: two rounds of bets and a public card, small enough to be solved."""

from sobremesa.envs.core.api.wrapped import constructors
from sobremesa.envs.core.game import Game, Option
from sobremesa.envs.core.wording import Words
from sobremesa.envs.leduc_poker import knowledge, notation, observe, rules
from sobremesa.envs.leduc_poker.drawing import scene
from sobremesa.envs.leduc_poker.problems import problems

GAME = Game(
    name="leduc_poker",
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
        title={"en": "Leduc poker", "es": "Póquer de Leduc"},
        action_name=notation.action_name,
        parse_action=notation.parse_action,
        describe=notation.describe,
        scene=scene,
        tell=notation.tell,
        help=notation.help_text,
        renamed=lambda language: notation.RENAMED[language],
    ),
    problems=problems,
)

env, raw_env = constructors(GAME)
