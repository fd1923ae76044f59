"""Bots: trained policies as an ONNX graph and a JSON manifest, played with onnxruntime alone.

A bot is a folder with two files. `bot.json` describes the bot and its training: `inputs`, `outputs` and `dtypes` of the
graph, and `action_names`, the stored names of the actions by number, with the digest `actions`. `policy.onnx` maps
`observation` `(n, D)` float32 and `mask` `(n, A)` int8 or float32 to `logits` `(n, A)` float32, very low for illegal
actions. Variants:

- A recurrent bot also takes `memory` `(n, M)` float32, zeros at the first decision of a deal, and returns
  `memory_after` for the next decision.
- An afterstate bot (`afterstates` in the manifest) takes `features` `(r, f)` float32 of choices that a scripted agent
  lists (afterstates.py), and returns their `worth` `(r,)`.
- An advised bot (`advised_by`) takes the advice of a scripted agent after the observation (advice.py).

`sampled(champion, temperature=2.5)` names a bot that draws from softmax(logits / 2.5). Temperature 1 is the policy as
it was trained, and 0 takes the most likely action.

No file is unpickled, and weights outside the graph are refused.
"""

import copy
import hashlib
import json
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Self

import msgspec
import numpy as np

from sobremesa import envs
from sobremesa.agents.advice import Advisor, advisor
from sobremesa.agents.afterstates import action_worths, afterstates_named, features_digest, list_choices
from sobremesa.agents.networks.runtime import BotError, Graph
from sobremesa.agents.recurrent import Recall
from sobremesa.agents.stored import FINGERPRINT, Made, misfit, read_object, structured
from sobremesa.envs.core import home
from sobremesa.envs.core.agent import Afterstates, View
from sobremesa.envs.core.chance import draw, uniform
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.errors import how_to_install, one_line
from sobremesa.envs.core.files import read_inside
from sobremesa.envs.core.game import Game
from sobremesa.envs.core.testing.check import names_digest

FORMAT = 1
MANIFEST, GRAPH = "bot.json", "policy.onnx"
CHOICES = ("sample", "greedy")  # draw from the policy, or take the most likely action
TEMPERATURES = (0.001, 1000.0)  # range of a temperature that is not 0
MOST_MEMORY = 65_536  # numbers in the memory of a recurrent bot
LARGEST_GRAPH = 512 * 2**20  # bytes


class _Inputs(msgspec.Struct, frozen=True):
    memory: tuple[Any, Annotated[int, msgspec.Meta(ge=1, le=MOST_MEMORY)]] | msgspec.UnsetType = msgspec.UNSET  # (n, M)


class _Manifest(Made, kw_only=True):
    """The fields of a manifest that are checked; it has others, for people."""

    layout: str
    actions: str
    observation_size: int
    num_actions: int
    sha256: str
    choice: str
    action_names: tuple[str, ...]  # by number
    inputs: _Inputs = _Inputs()
    afterstates: str = ""
    features: str = ""
    advised_by: str = ""
    advice: str = ""


class Bot:
    """An exported bot as an agent; `manifest` is the content of its file.

    It draws from softmax(logits / `temperature`), or takes the most likely action if `temperature` is 0.

    Tables pass the memory of a recurrent bot to `act_batch`. For `act`, the bot stores its memory itself, under the
    random stream of the view; an unused stream begins a new deal.
    """

    source: tuple[Path, Game] | None = None  # its folder, absolute, and its game

    def __init__(self, name: str, manifest: dict[str, Any], graph: Graph) -> None:
        self.name = name
        self.manifest = manifest
        self.graph = graph
        self.temperature = 0.0 if manifest["choice"] == "greedy" else 1.0
        self.memory = memory_of(manifest)
        self._recall = Recall(self.memory)

    @property
    def choice(self) -> str:
        """How the bot chooses: "greedy", "sample" or "temperature=2.5"."""
        return {0.0: "greedy", 1.0: "sample"}.get(self.temperature, f"temperature={self.temperature!r}")

    def logits(self, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
        """Return masked logits `(n, A)` float32 for `observations` `(n, D)` and `masks` `(n, A)`.

        They are divided by the temperature unless it is 0. `memory` `(n, M)` of a recurrent bot is overwritten with
        the memory after these decisions. Raises BotError if the graph fails or returns other arrays.
        """
        found = self._evaluate(observations, masks, memory)
        return found if self.temperature in (0.0, 1.0) else found / np.float32(self.temperature)

    def _evaluate(self, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray | None) -> np.ndarray:
        """Return the logits of the graph, at temperature 1."""
        feed = {"observation": observations.astype(np.float32), "mask": masks}
        if self.memory:
            if memory is None:
                raise ValueError(f"{self.name} is recurrent: it takes a memory, (n, {self.memory}) float32")
            logits, after = self.graph.run(**feed, memory=memory)
            memory[:] = self.graph.check_finite("memory_after", after)
        else:
            (logits,) = self.graph.run(**feed)
        return self.graph.check_finite("logits", logits, masks > 0)

    def chances(self, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray | None = None) -> np.ndarray:
        """Return the probability of each action, `(n, A)` float64; the arguments are those of `logits`."""
        logits = np.where(masks > 0, self.logits(observations, masks, memory).astype(float), -np.inf)
        likeliest = logits == logits.max(1, keepdims=True)
        greedy = self.temperature == 0
        worth = np.where(likeliest, 1.0, 0.0 if greedy else np.exp(logits - logits.max(1, keepdims=True)))
        if greedy:
            worth = (np.cumsum(worth, axis=1) == 1) * worth  # ties: the first one, as in `pick_actions`
        return np.asarray(worth / worth.sum(1, keepdims=True))

    def act_batch(
        self, observations: np.ndarray, masks: np.ndarray, streams: np.ndarray, memory: np.ndarray | None = None
    ) -> np.ndarray:
        """Return one action per row, drawn from the row's own stream unless the bot is greedy."""
        actions = np.zeros(len(observations), np.int64)
        if self.memory:
            pass_over(streams)  # without a draw, the next decision of a greedy bot would count as a new deal
        pick_actions(self.logits(observations, masks, memory), masks, streams, self.temperature == 0, actions)
        return actions

    def act(self, view: View) -> int:
        memory = self._recall.of(view.stream) if self.memory else None
        return int(self.act_batch(view.observation[None], view.mask[None], view.stream, memory)[0])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the bot as its folder, a digest of its manifest, its name and its temperature."""
        if self.source is None:
            raise TypeError(f"{self.name} was not loaded from a folder, and cannot be pickled; load_bot loads one")
        folder, game = self.source
        own = home.folder(game)
        kept = folder.relative_to(own) if own is not None and folder.is_relative_to(own) else folder
        state = {"_recall": self._recall, "name": self.name, "temperature": self.temperature}
        return _reload, (str(kept), game, _digest(self.manifest)), state

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Return a bot with its own memory and the same graph, which does not change."""
        other = object.__new__(type(self))
        vars(other).update(vars(self), _recall=copy.deepcopy(self._recall, memo))
        return other

    def __repr__(self) -> str:
        return f"Bot({self.name!r})"


class AfterstateBot(Bot):
    """An exported bot that estimates the value of the position after each choice; its logits are values of actions."""

    def __init__(self, name: str, manifest: dict[str, Any], graph: Graph, afterstates: Afterstates) -> None:
        super().__init__(name, manifest, graph)
        self.memory = 0
        self.afterstates = afterstates

    def _evaluate(self, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray | None) -> np.ndarray:
        """Return logits `(n, A)` float32: the value of the best choice of each action; very low without one."""
        choices = list_choices(self.afterstates, observations, masks)
        worths = choices.worths(lambda features: self.graph.run(features=features)[0])
        return action_worths(choices, self.graph.check_finite("worth", worths), masks)


class AdvisedBot(Bot):
    """An exported bot that gets the action of a scripted agent as an input."""

    def __init__(self, name: str, manifest: dict[str, Any], graph: Graph, advisor: Advisor) -> None:
        super().__init__(name, manifest, graph)
        self.advisor = advisor

    def _evaluate(self, observations: np.ndarray, masks: np.ndarray, memory: np.ndarray | None) -> np.ndarray:
        """Return the logits of the graph for `observations` `(n, D)`, to which the advice is added."""
        return super()._evaluate(self.advisor.advise(observations, masks), masks, memory)


def memory_of(manifest: dict[str, Any]) -> int:
    """Return the size of the memory of the bot with this `manifest`."""
    return int(manifest["inputs"]["memory"][1]) if "memory" in manifest.get("inputs", {}) else 0


@kernel
def pass_over(streams):
    """Draw one number from each of `streams` `(n,)` and drop it."""
    for row in range(streams.shape[0]):
        draw(streams[row])


@kernel
def pick_actions(logits, masks, streams, greedy, actions):
    """Choose an action for each row by `pick_action`."""
    for row in range(logits.shape[0]):
        actions[row] = pick_action(logits[row], masks[row], streams[row], greedy)


@kernel
def pick_action(logits, mask, stream, greedy):
    """Choose by the Gumbel trick: the largest of logit plus noise is a draw from the softmax."""
    best, most = -1, 0.0
    for action in range(logits.shape[0]):
        if mask[action]:
            worth = np.float64(logits[action])
            if not greedy:
                worth -= np.log(-np.log(uniform(stream)))
            if best < 0 or worth > most:
                best, most = action, worth
    return best


def _digest(manifest: dict[str, Any]) -> str:
    """Return a digest of `manifest`, which includes the digest of the graph."""
    return hashlib.sha256(json.dumps(manifest, sort_keys=True).encode()).hexdigest()


def _reload(folder: str, game: Game, content: str) -> Bot:
    """Return the bot that was pickled; raise BotError if it is missing or has changed.

    `folder` is absolute, or relative to the `home` of the game; pickles of version 0.1.0 name the game before it.
    `content` is the digest of the manifest.
    """
    path = (home.folder(game) or Path()) / folder.removeprefix(f"{game.name}/")
    bot = load_bot(path, game)
    if _digest(bot.manifest) != content:
        raise BotError(f"{path}: the bot has changed since it was pickled; load it anew")
    return bot


def load_bot(folder: Path, game: Game | None = None) -> Bot:
    """Load the bot in `folder` to play `game` (None: the game in its manifest).

    Raises:
        BotError: a file is missing or damaged, or the bot was made for another game, version, rules or layout.
        MissingExtra: onnxruntime is not installed.
    """
    manifest = read_manifest(folder)
    if game is None:
        if not envs.is_game(manifest["game"]):
            raise BotError(f"{folder}: plays {manifest['game']!r}, which is not among {', '.join(envs.all_games())}")
        game = envs.load(manifest["game"])
    bot = _load(folder, manifest, game)
    bot.source = folder.absolute(), game
    return bot


def _load(folder: Path, manifest: dict[str, Any], game: Game) -> Bot:
    says = msgspec.convert(manifest, _Manifest)
    if problem := misfit(says, game, FINGERPRINT):
        raise BotError(f"{folder}: {problem}")
    if names_digest(says.action_names) != says.actions:
        raise BotError(f"{folder}: action_names are not those whose digest is {says.actions!r}; it was changed")
    own = home.folder(game)
    comes_with_game = own is not None and folder.resolve().is_relative_to(own.resolve())
    if comes_with_game and game.package.startswith("sobremesa.") and not has_graph(folder):
        raise BotError(f"{folder}: {_where_graphs_are(folder)}")
    graph = _read(folder)
    if hashlib.sha256(graph).hexdigest() != manifest["sha256"]:
        raise BotError(f"{folder}: {GRAPH} is not the graph that {MANIFEST} describes; it was damaged or replaced")
    name, size = one_line(folder.name), memory_of(manifest)
    load = partial(
        Graph,
        graph,
        name=one_line(f"{folder}: {GRAPH}"),
        plays=game.id,
        trusted=comes_with_game,
    )
    if "afterstates" in manifest:
        afterstates = _afterstates(folder, manifest, game)
        return AfterstateBot(name, manifest, load({"features": (afterstates.size,)}, {"worth": ()}), afterstates)
    advisor = _advisor(folder, manifest, game) if "advised_by" in manifest else None
    seen = (game if advisor is None else advisor.game).layout.size
    takes = {"observation": (seen,), "mask": (game.num_actions,)} | ({"memory": (size,)} if size else {})
    gives = {"logits": (game.num_actions,)} | ({"memory_after": (size,)} if size else {})
    made = name, manifest, load(takes, gives)
    return Bot(*made) if advisor is None else AdvisedBot(*made, advisor)


def scripted_afterstates(folder: Path, name: str, game: Game) -> Afterstates:
    """Return the afterstates of the scripted agent `name` of the manifest in `folder`; raise BotError without them.

    Only scripted agents of the game are loaded.
    """
    found = afterstates_named(name, game)
    if found is None:
        raise BotError(f"{folder}: {name!r} should list its choices, but no such agent of {game.id} does")
    return found


def _afterstates(folder: Path, manifest: dict[str, Any], game: Game) -> Afterstates:
    """Return the afterstates for the bot of `manifest`; raise BotError if they have changed since its training."""
    name = manifest["afterstates"]
    found = scripted_afterstates(folder, name, game)
    if manifest.get("features") != features_digest(game, found):
        raise BotError(f"{folder}: the features of choices by {name!r} have changed since the bot was made")
    return found


def _advisor(folder: Path, manifest: dict[str, Any], game: Game) -> Advisor:
    """Return the advisor of the bot of `manifest`; raise BotError if its advice has changed since the training."""
    try:
        found = advisor(manifest["advised_by"], game)
    except ValueError as error:
        raise BotError(f"{folder}: {error}") from None
    if manifest.get("advice") != found.digest:
        raise BotError(f"{folder}: the advice of {found.name!r} has changed since the bot was made")
    return found


def read_manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of the bot in `folder`; raise BotError if it is missing, damaged or of another format."""
    path = folder / MANIFEST
    if not path.exists() and (folder / "run.json").is_file():
        raise BotError(f"{folder}: a training run, not a bot; make a bot of it: sobremesa export {folder} -o BOT")
    found = read_object(path, "bot", FORMAT, BotError, inside=True)
    choice = structured(found, _Manifest, path, BotError).choice
    if choice not in CHOICES:
        raise BotError(f"{path}: choice={choice!r} is not allowed; it takes {' or '.join(CHOICES)}")
    return found


def has_graph(folder: Path) -> bool:
    """Return whether the graph of the bot in `folder` is installed; the wheel `sobremesa` has manifests alone."""
    return (folder / GRAPH).is_file()


def _where_graphs_are(folder: Path) -> str:
    if folder.parent.name == "rivals":
        return f"the graph of this agent, which only tests others, is in no wheel; {how_to_install('bots')}"
    return f"the graph of this bot is in the wheel sobremesa_bots; install that, or {how_to_install('bots')}"


def _read(folder: Path) -> bytes:
    try:
        return read_inside(folder, GRAPH, LARGEST_GRAPH)
    except OSError as error:
        raise BotError(f"{folder / GRAPH}: no bot there, it cannot be read: {error.strerror}") from None
