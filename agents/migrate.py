"""Carry an exported bot over to the rules of today, where what it sees and what it may do are the same as before.

    python -m sobremesa.agents.migrate agents/pretrained/*/trained

A new version of a game refuses the bots of the one before. Where the version changed chance or rules alone, and neither
observations nor actions, the network still fits: its manifest is given today's version and digest of the rules, and
`carried_over` says from which. What a bot was rated at is of the rules before; ratings are to be made anew.
"""

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

from sobremesa import envs
from sobremesa.agents.afterstates import features_digest
from sobremesa.agents.exported import MANIFEST, read_manifest, scripted_afterstates
from sobremesa.agents.graph import BotError
from sobremesa.agents.stored import fingerprint
from sobremesa.envs.core.files import write_whole

_SAME = ("layout", "actions", "observation_size", "num_actions")


def carry_over(folder: Path) -> str:
    """Rewrite the manifest of the bot in `folder` for its game of today; return a line that says what was done.

    Raises BotError where the bot is damaged, has no game, or sees or does other things than its game has today. Of a
    bot that weighs what its choices leave, nothing tells whether that is told as it was: see to it that the scripted
    agent that tells it has not changed.
    """
    manifest = read_manifest(folder)
    if manifest["game"] not in envs.all_games():
        raise BotError(f"{folder}: plays {manifest['game']!r}, which is not among {', '.join(envs.all_games())}")
    game = envs.load(manifest["game"])
    today = fingerprint(game)
    for name in _SAME:
        if manifest[name] != today[name]:
            raise BotError(f"{folder}: {name} is {manifest[name]!r}, {game.id} has {today[name]!r}: it must learn anew")
    new = {name: today[name] for name in ("version", "rules_hash")}
    if "afterstates" in manifest:
        new["features"] = features_digest(game, scripted_afterstates(folder, manifest["afterstates"], game))
    old = {name: manifest[name] for name in new}
    if old == new:
        return f"{folder}: is for {game.id} as it is today"
    new["carried_over"] = [*manifest.get("carried_over", []), old]
    write_whole(folder / MANIFEST, json.dumps({**manifest, **new}, indent=1))
    return f"{folder}: carried over from version {old['version']} to {game.id}"


def main(words: Sequence[str] | None = None) -> int:
    """Carry over the bots in the folders that are named; return the exit code."""
    about = str(__doc__).partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m sobremesa.agents.migrate", description=about)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER", help="of exported bots")
    failed = 0
    for folder in parser.parse_args(words).folders:
        try:
            print(carry_over(folder))
        except BotError as error:
            print(error)
            failed = 1
    return failed


if __name__ == "__main__":
    raise SystemExit(main())
