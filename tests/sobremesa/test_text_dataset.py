"""Replays as text for supervised fine-tuning: the prompts of live play, and answers that parse to the actions."""

import json

import pytest
from command_line import one_line, sobremesa
from rooms import TORO

from sobremesa import agents, envs, text_dataset
from sobremesa.agents.arena import dataset as datasets, replay as replays
from sobremesa.agents.language.parser import parse_answer
from sobremesa.agents.language.prompt import Style
from sobremesa.agents.trainers.episode import Episode
from sobremesa.envs.core import news
from sobremesa.envs.core.agent import History
from sobremesa.envs.core.testing.secrets import redealt

LEDUC = envs.load("leduc_poker")
SHORT = {"max_rounds": 1, "max_sentences": 15}
STYLES = [Style("en"), Style("es", actions=False, history=True)]
names_of = pytest.mark.parametrize("name", envs.all_games())


def recorded(name, seed=3):
    game = envs.load(name)
    setup = {option.name: SHORT[option.name] for option in game.options if option.name in SHORT}
    seated = [agents.load(("simple", "random")[seat % 2], game) for seat in range(game.default_seats)]
    return game, replays.record(game, seated, seed, **setup)


class Recorded:
    """An agent that plays the actions of a replay."""

    def __init__(self, actions):
        self.name, self._actions = "recorded", iter(actions)

    def act(self, view):
        return next(self._actions)


@names_of
def test_prompts_are_those_of_live_play(name):
    game, replay = recorded(name)
    for style in STYLES:
        rows = list(text_dataset.rows(replay, game, style))
        assert [row["action"] for row in rows] == list(replay.actions)
        assert [row["ply"] for row in rows] == list(range(len(rows)))
        by_seat = [[row for row in rows if row["seat"] == seat] for seat in range(len(replay.agents))]
        for seat, mine in enumerate(by_seat):
            others = [Recorded(row["action"] for row in other) for other in by_seat if other is not mine]
            episode = Episode(game, others, seat=seat, seed=replay.seed, style=style, **replay.setup)
            for row in mine:
                system, user, assistant = row["messages"]
                assert [system["role"], user["role"], assistant["role"]] == ["system", "user", "assistant"]
                assert system == episode.messages[0]
                assert user == episode.messages[-1]
                assert row["return"] == replay.payoffs[seat]
                assert row["agent"] == replay.agents[seat]
                assert episode.answer(assistant["content"]).action == row["action"]
            assert episode.payoff == pytest.approx(replay.payoffs[seat])
            assert tuple(episode.actions) == replay.actions


@names_of
def test_answers_parse_back_to_the_recorded_actions(name):
    game, replay = recorded(name, seed=4)
    masks = [ply.mask for ply in replays.plies(replay, game)]
    for style in STYLES:
        for row in text_dataset.rows(replay, game, style):
            read = parse_answer(row["messages"][2]["content"], game, masks[row["ply"]], style.language)
            assert read.action == row["action"] == replay.actions[row["ply"]]


@names_of
def test_lines_of_a_seat_depend_on_no_secret(name, monkeypatch):
    game, replay = recorded(name)
    plies, differed = list(replays.plies(replay, game)), 0
    for seat in range(len(replay.agents)):
        truth = [row for row in text_dataset.rows(replay, game, STYLES[1]) if row["seat"] == seat]
        worlds = [ply._replace(states=world_of(game, ply, seat)) for ply in plies]
        differed += sum(one.states.tobytes() != ply.states.tobytes() for one, ply in zip(worlds, plies, strict=True))
        assert lines_of(game, replay, worlds, seat, monkeypatch) == truth
    assert differed


def lines_of(game, replay, worlds, seat, monkeypatch):
    """Return the lines of `seat` if the plies of `replay` are `worlds`, which hold nothing true for other seats."""

    class OfSeat(History):
        def add(self, *event):
            if self._seat == seat:
                super().add(*event)

    with monkeypatch.context() as patch:
        patch.setattr(replays, "plies", lambda *_: iter(worlds))
        patch.setattr(text_dataset, "History", OfSeat)
        return [row for row in text_dataset.rows(replay, game, STYLES[1]) if row["seat"] == seat]


def world_of(game, ply, seat):
    """Return the state of `ply` with everything resampled that `seat` cannot know; at the end nothing is hidden."""
    if ply.states["over"][0]:
        return ply.states
    world = redealt(game)(ply.states, seat, int(ply.states["ply"][0]))
    for field in news.fields_of(game.state):
        world[field] = ply.states[field]
    return world


# The command.


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        replays.write(tmp_path / f"{number}.json", recorded("leduc_poker", number)[1])
    return tmp_path


def test_the_command_writes_a_line_for_each_decision(folder, capsys):
    files = ["0.json", "1.json", "2.json"]
    parts = ("--language", "es", "--style", "actions=no", "history=yes")
    assert sobremesa("dataset", *files, "--format", "text", "-o", "new/deals.jsonl", *parts) == 0
    out, err = capsys.readouterr()
    lines = (folder / "new" / "deals.jsonl").read_text(encoding="utf-8").splitlines()
    assert out == f"new/deals.jsonl: {len(lines)} decisions of 3 deals of leduc_poker-v1\n"
    assert "deals: 3 of 3" in err
    wanted = [row for name in files for row in text_dataset.rows(replays.read(folder / name), LEDUC, STYLES[1])]
    assert [json.loads(line) for line in lines] == wanted
    assert {row["seed"] for row in wanted} == {0, 1, 2}
    assert [path.name for path in (folder / "new").iterdir()] == ["deals.jsonl"]


def test_one_replay_at_a_time_is_in_memory(folder, monkeypatch):
    events = []
    read, plies = replays.read, replays.plies
    monkeypatch.setattr(replays, "read", lambda path: events.append(path.name) or read(path))
    monkeypatch.setattr(replays, "plies", lambda *given: events.append("plies") or plies(*given))
    deals = (replays.read(folder / name) for name in ("0.json", "1.json"))
    text_dataset.write(folder / "deals.jsonl", deals, Style())
    assert events == ["0.json", "plies", "1.json", "plies"]


@pytest.mark.parametrize("kind", ["npz", "text"])
def test_deals_between_agents_need_no_replays(kind, folder, capsys):
    out = folder / ("deals.npz" if kind == "npz" else "deals.jsonl")
    words = ("leduc_poker", "strong", "simple", "--deals", "3", "--seed", "5", "--format", kind, "-o", str(out))
    assert sobremesa("dataset", *words) == 0
    assert "decisions of 3 deals of leduc_poker-v1" in capsys.readouterr().out
    seated = [agents.load(name, LEDUC) for name in ("strong", "simple")]
    played = [replays.record(LEDUC, seated, seed) for seed in (5, 6, 7)]
    if kind == "npz":
        _, arrays = datasets.read(out, LEDUC)
        assert arrays["action"].tolist() == [action for one in played for action in one.actions]
    else:
        wanted = [row for one in played for row in text_dataset.rows(one, LEDUC, Style())]
        assert [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()] == wanted


REFUSED = [
    (("0.json", "-o", "deals.npz"), "deals.npz: the file name must end in .jsonl"),
    (("none.json", "-o", "deals.jsonl"), "none.json: no replay there"),
    (("0.json", "cut.json", "-o", "deals.jsonl"), "cut.json: not JSON, or cut short"),
    (("0.json", "toro.json", "-o", "deals.jsonl"), "toro.json: it is of another game"),
    (("0.json", "-o", "deals.jsonl", "--deals", "3"), "--deals needs the name of a game and agents"),
    (("0.json", "-o", "deals.jsonl", "--setup", "seats=2"), "--setup needs the name of a game and agents"),
    (("leduc_poker", "-o", "deals.jsonl"), "leduc_poker: give one agent for each seat after it"),
    (("leduc_poker", *["simple"] * 3, "-o", "deals.jsonl"), "seats=3 is not allowed; it takes 2"),
    (("leduc_poker", "nobody", "simple", "-o", "deals.jsonl"), "nobody"),
    (("0.json", "-o", "deals.jsonl", "--style", "history"), "--style history is not allowed; give PART=yes or PART=no"),
    (("0.json", "-o", "deals.jsonl", "--style", "rules=no"), "with PART actions or history"),
    (("0.json", "-o", "deals.jsonl", "--style", "history=no", "history=yes"), "history is given twice"),
]


@pytest.mark.parametrize(("words", "reason"), REFUSED, ids=[" ".join(words) for words, _ in REFUSED])
def test_bad_input_is_refused_and_leaves_the_file(words, reason, folder, capsys):
    (folder / "cut.json").write_text('{"format": 1, "ga', encoding="utf-8")
    replays.write(folder / "toro.json", recorded(TORO.name)[1])
    (folder / "deals.jsonl").write_text("former\n", encoding="utf-8")
    assert sobremesa("dataset", *words, "--format", "text") == 2
    assert reason in one_line(capsys.readouterr().err.splitlines(keepends=True)[-1])
    assert (folder / "deals.jsonl").read_text(encoding="utf-8") == "former\n"
    assert not list(folder.glob("*.partial"))


def test_styles_are_for_text(folder, capsys):
    for words in (("--language", "es"), ("--style", "history=yes")):
        assert sobremesa("dataset", "0.json", "-o", "deals.npz", *words) == 2
        assert "--language and --style need --format text" in one_line(capsys.readouterr().err)
