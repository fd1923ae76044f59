"""Checks for any game, yours or ours.

`check_game` runs them all; `sobremesa check GAME` prints its results. The other functions are its parts.
"""

from collections.abc import Callable, Iterable, Mapping

from sobremesa.envs.core.agent import Agent
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import ContractBroken, check_contract, check_pieces, rules_hash, setups
from sobremesa.envs.core.testing.environments import check_bots, check_environments
from sobremesa.envs.core.testing.secrets import SecretLeaked, ViewOf, answer_of, check_secrets, views

__all__ = [
    "ContractBroken", "SecretLeaked", "answer_of", "check_bots", "check_contract", "check_environments", "check_game",
    "check_pieces", "check_secrets", "rules_hash", "setups", "views",
]  # fmt: skip

SHORT = 60  # plies: in a game with shorter deals, secrets are checked at every ply
Tally = dict[str, int]


def check_game(
    game: Game,
    deals: int = 5,
    seed: int = 0,
    *,
    bots: Iterable[Agent] = (),
    pieces: int = 2000,
    shown: Mapping[str, ViewOf] | None = None,
    progress: Callable[[str, int, int], None] | None = None,
) -> dict[str, Tally]:
    """Check a game with random deals in every kind of setup, and return the number of checks in each part.

    - "contract": names, determinism, problems, mask, observation, payoff, turns, length and words (`check_contract`).
    - "pieces": no piece is lost or duplicated, for a game with `all_there` (`check_pieces`).
    - "secrets": no view depends on hidden information (`check_secrets`).
    - "environments": AEC and vector environments equal the bare game, states can be saved and restored, and
      PettingZoo's own tests pass (`check_environments`).
    - "bots": the `bots` choose legal actions (`check_bots`).

    Args:
        game: the game; it need not be registered.
        deals: random deals for each setup.
        seed: of the first deal.
        bots: agents that play against themselves.
        pieces: random deals in which every piece is counted.
        shown: views for the secrets, by name; None takes `views(game)`.
        progress: called with the name of the part, the steps done and the steps in all.

    Raises:
        ContractBroken: an AssertionError that names the game, setup, seed, ply and clause.
        SecretLeaked: an AssertionError that names the game, setup, seed, ply, seat and view.
    """

    def reporter(part: str) -> Callable[[int, int], None]:
        return lambda done, total: progress(part, done, total) if progress is not None else None

    short = game.max_plies <= SHORT
    found = {"contract": check_contract(game, deals, seed, reporter("contract"))}
    if game.all_there is not None:
        found["pieces"] = check_pieces(game, pieces, seed, reporter("pieces"))
    found["secrets"] = check_secrets(
        game,
        max(10, deals) if short else max(1, deals // 5),
        seed,
        every=1 if short else 13,
        shown=shown,
        progress=reporter("secrets"),
    )
    found["environments"] = check_environments(game, max(1, deals // 5), seed, reporter("environments"))
    if bots := list(bots):
        found["bots"] = check_bots(game, bots, deals, seed)
    return found
