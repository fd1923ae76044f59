"""The work of every reader of texts and files of strangers grows like their length."""

import asyncio
import html
import json
import re
import time
from urllib.parse import parse_qsl

import msgspec
import numpy as np
import pytest
from erase_tables import GAME as ERASE, table
from growth import documents, faster_than_linear, patterns
from rooms import TORO

from sobremesa import agents, envs
from sobremesa.agents.arena import leaderboard_file, replay, schedule, tournament
from sobremesa.agents.exported import read_manifest
from sobremesa.agents.external.agent import _one_line
from sobremesa.agents.external.conversation import Conversation, Failure
from sobremesa.agents.human import Human
from sobremesa.agents.language import own_words
from sobremesa.agents.language.parser import LONGEST, parse_answer
from sobremesa.agents.language.prompt import Style
from sobremesa.agents.named import named
from sobremesa.agents.stored import name_problem
from sobremesa.envs.core.agent import make_view, new_stream
from sobremesa.envs.core.errors import escaped, one_line
from sobremesa.envs.core.files import toml_of
from sobremesa.envs.erase_una_vez.text.detector import detect
from sobremesa.serve.forms import content_of, file_of
from sobremesa.serve.guard import host_allowed
from sobremesa.serve.limits import groups
from sobremesa.serve.table import clean_name
from sobremesa.serve.wire import _DECODER
from sobremesa.training.benchmark import cells, published

DRAWN = 12  # combinations for each reader
LONG_TEXT = 16_000  # characters of free text; the table takes 300
ANSWER = (
    "ACTION: ", "action", "ACTION: pass", '{"action": "', "<action>", "</action>", "\\boxed{", "\\text{", "<think>",
    "</think>", "final ", "answer: ", '"action":"', "'action':", "SENTENCE: ", "FRASE: x",
)  # fmt: skip
NAME = (
    "search(", "ismcts(", "strong", "llm:", "llm:a@http://", "python:", "rollout=", "search(a=x", ".toml", "solved:",
)  # fmt: skip


def own():
    """Return a view at which a sentence in own words may be told."""
    states = table(["Princesa, Hacha", "Bosque, Loco", "Ventana, Rana"], setup={"telling": "words"})
    return make_view(ERASE, states, int(states["seat"][0]), new_stream(1))


def sentence(view):
    action = int(np.flatnonzero(view.mask)[0])
    return lambda text: own_words.read_sentence(text[:LONGEST], view, action, Style("es"))


def answer(game, language):
    mask = np.ones(game.num_actions, np.int8)
    return lambda text: parse_answer(text, game, mask, language)


def typed(game, language):
    """Return a reader of one line at the terminal."""
    view = make_view(game, game.new_tables(1, {}), 0, new_stream(1)) if game is TORO else None
    person = Human(language, tell=lambda _: None)

    def read(text):
        game.words.parse_action(text, language)
        if view is not None:
            person._parse(view, text, [0])

    return read


def message(text):
    try:
        _DECODER.decode(text.encode("utf-8", "replace"))
    except msgspec.MsgspecError as error:
        raise ValueError from error


class Silent(Conversation):
    """A conversation without a process."""

    def __init__(self):
        pass

    def _last_error_line(self):
        return ""


def line(text):
    """Read a line of an external agent."""
    try:
        Silent()._read(text.encode("utf-8", "replace"))
    except Failure as failure:
        raise ValueError from failure


TEXTS = {  # by reader: the function, and the literals that it knows
    "an answer": (answer(TORO, "en"), ANSWER),
    "an answer in Spanish": (answer(ERASE, "es"), (*ANSWER, "cuenta ", "dragón")),
    "a sentence in an answer": (sentence(own()), ("SENTENCE", "SENTENCE: ", "FRASE: x", "SENTENCE: x")),
    "free text": (lambda text: detect(text[:LONG_TEXT], "es"), ("La princesa ", "no ", "como ", "bosque, ", "el ")),
    "free text in English": (lambda text: detect(text[:LONG_TEXT], "en"), ("the princess ", "not ", "like a ")),
    "own words": (lambda text: ERASE.words.telling.listen(own().state, text, "es"), ("princesa ",)),
    **{
        f"a move of {game.name} in {language}": (
            typed(game, language),
            tuple(f"{game.words.action_name(action, language)} " for action in (0, game.num_actions // 2)),
        )
        for game in map(envs.load, envs.games())
        for language in ("en", "es")
    },
    "a name": (named, NAME),
    "an agent": (lambda text: agents.load(text, TORO), NAME),
    "a name in a file": (name_problem, ()),
    "a line of an error": (one_line, ()),
    "escaped text": (escaped, ()),
    "the reason of a fault": (_one_line, ()),
    "a line of an external agent": (line, ('{"action": ',)),
    "a form": (lambda text: parse_qsl(text, keep_blank_values=True, max_num_fields=100), ("a=b&", "%41")),
    "an upload": (lambda text: file_of("multipart/form-data; boundary=abc", text.encode("utf-8", "replace")),
                  ("--abc\r\n", "\r\n--abc", "\r\n\r\n")),
    "the type of an upload": (lambda text: file_of(text, b""), ("multipart/form-data;", " boundary=")),
    "a host": (lambda text: host_allowed(text, ()), ("localhost", ":80")),
    "an address": (groups, ("127.0.0.1", "::", "%")),
    "the name of a player": (clean_name, ()),
    "a message": (message, ('{"do":"play","moment":', '{"do":"tell","text":"')),
    "HTML": (html.escape, ()),
    "a configuration": (lambda text: toml_of(text.encode("utf-8", "replace")),
                        ("a.", "a=1\n", "[a]\n", "[[a]]\n", "a={", "'''", "x = [", "[a.", '"\\u0041')),
}  # fmt: skip


@pytest.mark.parametrize("reader", TEXTS)
def test_texts_take_time_like_their_length(reader):
    read, literals = TEXTS[reader]
    found = ((name, faster_than_linear(read, grown)) for name, grown in patterns(literals, seed=7, many=DRAWN))
    assert not [f"{name}: {slow}" for name, slow in found if slow]


def replay_file():
    random = agents.load("random", TORO)
    return replay.record(TORO, [random] * 2, 1, seats=2, board="small", max_rounds=1)


def folder_reader(read, name):
    """Return a function of a folder that reads a text as the file `name` there."""

    def of(folder):
        def reading(text):
            (folder / name).write_text(text, encoding="utf-8")
            return read(folder)

        return reading

    return of


def published_cell(folder):
    return json.loads((published.FOLDER / "simple.json").read_text())["records"][0]


FILES = {  # by reader: how a text is read as its file, and how a sound one is made in a folder
    "a replay": (folder_reader(lambda folder: replay.read(folder / "a.json"), "a.json"),
                 lambda folder: (replay.write(folder / "a.json", replay_file()), folder / "a.json")[1]),
    "a ladder": (folder_reader(lambda folder: leaderboard_file.read(folder / "a.json", TORO), "a.json"),
                 lambda folder: leaderboard_file.frozen_file(TORO)),
    "a manifest": (folder_reader(read_manifest, "bot.json"),
                   lambda folder: agents.bot_folders(TORO)["trained"] / "bot.json"),
    "a tournament": (folder_reader(tournament.read_schedule, "arena.json"),
                     lambda folder: (tournament.begin(folder / "t", schedule.plan(TORO, ("random", "simple"), deals=1)),
                                     folder / "t" / "arena.json")[1]),
    "a cell": (folder_reader(cells.read, "cell.json"), published_cell),
}  # fmt: skip


@pytest.mark.parametrize("reader", FILES)
def test_files_take_time_like_their_length(reader, tmp_path):
    reading, made = FILES[reader]
    sample = made(tmp_path)
    sample = sample if isinstance(sample, dict) else json.loads(sample.read_text())
    read = reading(tmp_path)
    read(json.dumps(sample))  # it is sound
    found = ((name, faster_than_linear(read, grown)) for name, grown in documents(sample))
    assert not [f"{name}: {slow}" for name, slow in found if slow]


def test_a_short_file_makes_no_long_list(tmp_path):
    tournament.begin(tmp_path / "t", schedule.plan(TORO, ("random", "simple"), deals=1))
    file = tmp_path / "t" / "arena.json"
    sound = json.loads(file.read_text())
    for damage in ({"deals": 10_000_000, "piece": 1, "external_piece": 1}, {"agents": [*map(str, range(5_000))]}):
        file.write_text(json.dumps(sound | damage | {"specs": damage.get("agents", sound["specs"])}))
        with pytest.raises(tournament.TournamentError, match="make more than 2,000,000 pieces"):
            tournament.read_schedule(tmp_path / "t")


def test_a_body_in_many_parts_takes_time_like_its_length():
    class Parts:
        def __init__(self, count):
            self.count = count

        async def stream(self):
            for _ in range(self.count):
                yield b"x"

    def read(text):
        asyncio.run(content_of(Parts(len(text)), 10**9))

    assert not faster_than_linear(read, lambda size: "x" * size)


# The measure itself.


@pytest.mark.parametrize(
    ("read", "piece"),
    [
        (lambda text: re.sub(r"\s+$", "", text + "x"), " "),
        (lambda text: [text[:end] for end in range(0, len(text), 8)], "a"),
        (lambda text: [text.count(sign) for sign in text[::4]], "ab"),
    ],
)
def test_quadratic_readers_are_found(read, piece):
    assert any(faster_than_linear(read, grown) for _, grown in patterns((piece,), 7, 0))


def test_readers_that_only_start_slowly_are_linear():
    def slow(text):
        until = time.process_time() + 0.002
        while time.process_time() < until:
            pass
        return text.split()

    assert not faster_than_linear(slow, lambda size: "a " * size)
