"""Solved policies, as files and as agents.

The file is an `.npz` without pickled objects: the encoded observation of each information set, `codes` `(I, W)` uint8,
the probabilities there, `chances` `(I, A)` float64, and `header`, a JSON string with the game and the setup. If a seat
must remember more than its observation, `earlier` `(I,)` int64 is the information set of its decision before, -1 for
the first one; otherwise it is -1 throughout.
"""

import hashlib
import json
import os
import zipfile
from pathlib import Path

import numpy as np

from sobremesa import envs
from sobremesa.agents.exact.script import Uncountable
from sobremesa.agents.exact.solve import Solution
from sobremesa.agents.exact.tree import GameTree, table_name
from sobremesa.agents.exported import pick_actions
from sobremesa.agents.named import SOLVED, SolvedFile
from sobremesa.agents.recurrent import Recall
from sobremesa.agents.stored import Made, Setup, fingerprint, misfit, read_archive, setup_problem, structured
from sobremesa.envs.core.agent import View
from sobremesa.envs.core.errors import one_line
from sobremesa.envs.core.files import open_file, whole
from sobremesa.envs.core.game import Game

FORMAT = 1
LARGEST = 2**30  # bytes of a file
MOST_REMEMBERED = 2**24  # information sets that float32 can number
_KINDS = {"codes": (np.uint8, (None, None)), "chances": (np.float64, (None, None)), "earlier": (np.int64, (None,))}
_FITS = ("game", "version", "rules_hash", "layout", "actions")


class PolicyError(ValueError):
    """A file has no policy, or one of another game; the message has the file and the reason."""


class _Header(Made, kw_only=True):
    layout: str
    actions: str
    setup: Setup
    iterations: int
    value: float
    exploitability: float


class Solved:
    """A policy for one table, as an agent; it cannot play at other tables.

    `header` is the header of its file, `content` a digest of the file. It is recurrent if it must be: its memory is the
    information set before, counted from 1.
    """

    def __init__(self, name: str, game: Game, header: _Header, content: str, arrays: dict[str, np.ndarray]) -> None:
        self.name = name
        self.game, self.header, self.content = game, header, content
        self.memory = int((arrays["earlier"] >= 0).any())
        self._rows = arrays["chances"]
        seen = [observation.tobytes() for observation in game.layout.decode(arrays["codes"])]
        before = (arrays["earlier"] + 1).tolist()
        self._found = {key: number for number, key in enumerate(zip(before, seen, strict=True))}
        self._recall = Recall(self.memory)

    def chances(self, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
        """Return the probability of each action, `(n, A)` float64; `memory` `(n, 1)` is overwritten if there is one.

        Raises ValueError at a table that the policy was not solved for.
        """
        before = [0] * len(observations) if memory is None else memory[:, 0].astype(np.int64).tolist()
        seen = (observation.tobytes() for observation in observations.astype(np.float32))
        try:
            rows = [self._found[key] for key in zip(before, seen, strict=True)]
        except KeyError:
            table = table_name(self.game, self.header.setup)
            raise ValueError(f"{self.name} was solved for {table}, and for no other table") from None
        if memory is not None:
            memory[:, 0] = np.array(rows, np.float32) + 1
        return np.asarray(self._rows[rows])

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray, memory: np.ndarray | None = None
    ) -> np.ndarray:
        """Return one action a row, drawn from each row's own stream."""
        actions = np.zeros(len(observations), np.int64)
        with np.errstate(divide="ignore"):
            logs = np.log(self.chances(observations, masks, memory)).astype(np.float32)
        pick_actions(logs, masks, streams, False, actions)
        return actions

    def act(self, view: View) -> int:
        memory = self._recall.of(view.stream) if self.memory else None
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream, memory)[0])

    def __repr__(self) -> str:
        return f"Solved({self.name!r})"


def write(path: Path, tree: GameTree, solution: Solution) -> None:
    """Write the policy of `solution` to `path`.

    Raises Uncountable if a seat must remember its own actions, too, or more than a memory can number.
    """
    alone = tree.told_apart()
    if not alone and (len(tree.codes) > MOST_REMEMBERED or not tree.told_apart(remembered=True)):
        raise Uncountable(
            f"{tree.game.id}: at this table a seat must remember more than its observations, and an agent cannot"
        )
    made = fingerprint(tree.game)
    header = {
        "format": FORMAT,
        **{name: made[name] for name in _FITS},
        "setup": tree.setup,
        "iterations": solution.iterations,
        "value": solution.response.value,
        "exploitability": solution.response.exploitability,
    }
    rows = np.zeros(tree.masks.shape)
    rows[tree.masks > 0] = solution.policy
    with whole(path) as partial, partial.open("wb") as file:
        earlier = np.full(len(rows), -1) if alone else tree.earlier
        text = np.array(json.dumps(header))
        np.savez(file, allow_pickle=False, header=text, codes=tree.codes, chances=rows, earlier=earlier)


def load_solved(named: SolvedFile, game: Game | None = None) -> Solved:
    """Return the policy of a file as an agent; raise PolicyError if the file has no policy for `game`."""
    path = named.path
    try:
        file = open_file(path)
    except OSError as error:
        raise PolicyError(f"{one_line(str(path))}: no policy there, it cannot be read: {error.strerror}") from None
    try:
        with file:
            if os.fstat(file.fileno()).st_size > LARGEST:
                raise ValueError(f"it is larger than {LARGEST:,} bytes")
            found, arrays = read_archive(file, _KINDS, "policy", FORMAT)
            header = structured(found, _Header, "header", ValueError)
            file.seek(0)
            content = hashlib.file_digest(file, "sha256").hexdigest()
    except (ValueError, KeyError, EOFError, RecursionError, RuntimeError, OSError, zipfile.BadZipFile) as error:
        raise PolicyError(f"{one_line(str(path))}: not a solved policy: {one_line(str(error))}") from None
    name = f"{SOLVED}{one_line(path.name)}"
    if not envs.is_game(header.game):
        raise PolicyError(f"{path}: is of {header.game!r}, which is not among {', '.join(envs.all_games())}")
    of = envs.load(header.game) if game is None else game
    if problem := misfit(header, of, _FITS) or setup_problem(header.setup, of):
        raise PolicyError(f"{path}: {problem}")
    codes, rows, count = arrays["codes"], arrays["chances"], len(arrays["earlier"])
    if codes.shape != (count, of.layout.width) or rows.shape != (count, of.num_actions):
        raise PolicyError(f"{path}: codes {codes.shape} and chances {rows.shape} are not of {of.id}")
    if (arrays["earlier"] >= np.arange(count)).any() or (arrays["earlier"] < -1).any():
        raise PolicyError(f"{path}: a decision comes before itself")
    if not (np.isfinite(rows).all() and (rows >= 0).all() and np.allclose(rows.sum(1), 1.0)):
        raise PolicyError(f"{path}: its probabilities are invalid")
    return Solved(name, of, header, content, arrays)
