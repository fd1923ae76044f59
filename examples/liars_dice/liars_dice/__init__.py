"""Liar's dice for two players with one die each: a game from its own package."""

from liars_dice import observe, rules, words
from sobremesa.envs import Game, Option, Words, constructors

__all__ = ["GAME", "env", "raw_env"]

GAME = Game(
    name="liars_dice", version=1, package=__name__, state=rules.STATE, reset=rules.reset, legal=rules.legal,
    play=rules.play, payoff=rules.payoff, observe=observe.observe, redeal=observe.redeal, num_actions=rules.ACTIONS,
    layout=observe.LAYOUT, options=(Option("seats", 2, range(2, 3), "players"),), max_plies=rules.MAX_PLIES,
    words=Words(
        title={"en": "Liar's dice", "es": "Dados mentirosos"}, action_name=words.action_name,
        parse_action=words.parse_action, describe=words.describe, scene=words.scene, tell=words.tell,
        help=words.help_text, renamed=words.RENAMED.get,
    ),
    problems=rules.problems,
)  # fmt: skip

env, raw_env = constructors(GAME)
