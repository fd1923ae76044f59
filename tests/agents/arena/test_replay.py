"""Replays and datasets: written by one process, verified by another, refused with a reason if they do not fit."""

import dataclasses
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest
from command_line import sobremesa
from pages import pieces_and_sights, scenes_of
from rooms import ALL, ENCIERRO, KUHN, TORO, brief

from sobremesa import agents, envs
from sobremesa.agents.arena import dataset
from sobremesa.agents.arena.replay import (
    ReplayError,
    from_plies,
    game_of,
    plies,
    read,
    record,
    record_many,
    verify,
    write,
)
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.stored import LARGEST
from sobremesa.envs.core.compile.kernel import kernel
from sobremesa.envs.core.deal import deal_between, random_deal
from sobremesa.envs.core.errors import IllegalAction
from sobremesa.envs.core.table import OVER
from sobremesa.report import show

SHORT = {"max_rounds": 1}


def toro(seed=5):
    """Return a short deal of the Toro."""
    return record(TORO, [agents.load("simple", TORO), RANDOM], seed, **SHORT)


@pytest.fixture
def file(tmp_path):
    """Return the file of `toro()`."""
    write(tmp_path / "deal.json", toro())
    return tmp_path / "deal.json"


def changed(file, **fields):
    """Write the replay in `file` again with other `fields`."""
    file.write_text(json.dumps(json.loads(file.read_text(encoding="utf-8")) | fields), encoding="utf-8")
    return file


@pytest.mark.parametrize("game", ALL, ids=repr)
@pytest.mark.parametrize("seed", [0, 2**63 - 1])
def test_a_replay_is_the_deal(game, seed, tmp_path):
    game = brief(game)
    seated = [RANDOM] * game.max_seats
    replay = record(game, seated, seed)
    write(tmp_path / "deal.json", replay)
    again = read(tmp_path / "deal.json")
    assert again == replay
    for ply, played in zip(plies(again, game), deal_between(game, seated, seed), strict=True):
        assert (ply.seat, ply.action, ply.states.tobytes()) == (played.seat, played.action, played.states.tobytes())
        assert ply.observation.tobytes() == played.observation.tobytes()
        assert ply.mask.tobytes() == played.mask.tobytes()


@pytest.mark.parametrize("name", ["simple", "champion"])
def test_deals_side_by_side_are_those_one_at_a_time(name):
    seated = [agents.load(name, TORO), RANDOM, agents.load(name, TORO)]
    seeds = [4, 2**63 - 1, 0]
    assert record_many(TORO, seated, seeds, **SHORT) == [record(TORO, seated, seed, **SHORT) for seed in seeds]


class First:
    name = "first"

    def act(self, view):
        return int(np.flatnonzero(view.mask)[0])


def test_an_agent_without_batches_plays_one_deal_at_a_time():
    seated = [First(), RANDOM]
    assert record_many(KUHN, seated, range(3)) == [record(KUHN, seated, seed) for seed in range(3)]


def test_a_file_says_what_was_played(file):
    lines = file.read_text(encoding="utf-8").splitlines()
    found = json.loads("\n".join(lines))
    assert len(lines) == len(found) + 2  # a line for each field
    assert [found[name] for name in ("format", "game", "version", "seed")] == [1, TORO.name, TORO.version, 5]
    assert found["agents"] == ["simple", "random"]
    assert found["setup"]["max_rounds"] == 1
    assert set(found["setup"]) == {option.name for option in TORO.options}
    assert "file" not in found
    assert [path.name for path in file.parent.iterdir()] == ["deal.json"]


def test_another_process_verifies_a_replay_to_the_ply(file):
    code = (
        "import sys, pathlib; from sobremesa.agents.arena import replay\n"
        "found = replay.read(pathlib.Path(sys.argv[1])); replay.verify(found); print(found.payoffs)"
    )
    words = [sys.executable, "-c", code, str(file)]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == f"{toro().payoffs}\n"
    found = read(file)
    legal = np.flatnonzero(list(plies(found))[2].mask).tolist()
    other = next(action for action in legal if action != found.actions[2])
    changed(file, actions=[*found.actions[:2], other, *found.actions[3:]])
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"ReplayError: {file}: ply 2: the file has action {other} " in done.stderr


@pytest.mark.parametrize("game", ALL, ids=repr)
def test_one_flipped_action_is_refused_at_its_ply(game):
    game = brief(game)
    replay = record(game, [RANDOM] * game.default_seats, 3)
    legal = [np.flatnonzero(ply.mask).tolist() for ply in plies(replay, game)]
    for number, action in enumerate(replay.actions):
        other = next(one for one in legal[number] if one != action)
        flipped = (*replay.actions[:number], other, *replay.actions[number + 1 :])
        begun = plies(dataclasses.replace(replay, actions=flipped), game)
        for _ in range(number):
            next(begun)
        with pytest.raises(ReplayError, match=f"^ply {number}: the file has action {other} .* but action {action} "):
            next(begun)
        if number == 20:
            break


@pytest.mark.parametrize("action", [-1, 10**30, "illegal"])
def test_an_action_that_is_not_allowed_is_refused_at_its_ply(action):
    replay = toro()
    mask = list(plies(replay))[2].mask
    action = int(np.flatnonzero(mask == 0)[0]) if action == "illegal" else action
    flipped = (*replay.actions[:2], action, *replay.actions[3:])
    with pytest.raises(ReplayError, match=r"^ply 2: action .* is not allowed to seat \d$"):
        verify(dataclasses.replace(replay, actions=flipped))


def test_what_was_not_recorded_is_refused_at_its_ply():
    replay, last = toro(), len(toro().actions)
    wrong = ("0" * 8,)
    cases = {
        "ply 0: the table differs from the recorded one": {"seed": 6},
        "ply 4: the table differs": {"digests": (*replay.digests[:4], *wrong, *replay.digests[5:])},
        f"ply {last}: the end differs from the recorded one": {"digests": replay.digests[:-1] + wrong},
        f"ply {last}: the deal pays": {"payoffs": (0.25, -0.25)},
        f"ply {last - 1}: the replay ends here, but the deal goes on": {"actions": replay.actions[:-1]},
        f"ply {last}: the deal is over, but the replay has {last + 1} actions": {"actions": (*replay.actions, 0)},
        "3 agents at a table of 2": {"agents": ("a", "b", "c")},
        "setup: .*max_rounds=0 is not allowed": {"setup": {**replay.setup, "max_rounds": 0}},
        r"setup: \['seats'\] are not the options of": {"setup": {"seats": 2}},
        "made with another version of the game": {"version": TORO.version + 1},
        r"the rules have changed since it was made \(rules_hash 'abc'": {"rules_hash": "abc"},
        "actions have changed since it was made": {"action_digest": "abc"},
        "it is of 'mus', which is not among": {"game": "mus"},
    }
    for told, fields in cases.items():
        with pytest.raises(ReplayError, match=f"^deal.json: .*{told}"):
            verify(dataclasses.replace(replay, file="deal.json", **fields))
    with pytest.raises(ReplayError, match="it is of another game"):
        verify(replay, KUHN)


@kernel
def generous(state, out):
    out[:] = 0
    if state.over:
        out[0] = 0.5
        out[1] = -0.5


def test_a_changed_rule_is_refused_with_the_reason():
    other = dataclasses.replace(KUHN, payoff=generous)
    with pytest.raises(ReplayError, match="the rules have changed since it was made"):
        verify(record(KUHN, [RANDOM, RANDOM], 1), other)


def test_a_file_cut_short_anywhere_is_refused(file, tmp_path):
    content = file.read_bytes().rstrip()
    for length in {*range(0, len(content), 97), len(content) - 1}:
        (tmp_path / "cut.json").write_bytes(content[:length])
        with pytest.raises(ReplayError, match=r"cut\.json: not JSON, or cut short"):
            read(tmp_path / "cut.json")


def test_what_is_no_replay_is_refused(file, tmp_path):
    replay = toro()
    cases = {
        "it has format 2; this version of Sobremesa reads 1": {"format": 2},
        "it has format True": {"format": True},
        r"Expected `int`, got `null` - at `\$.seed`": {"seed": None},
        r"Expected `int`, got `bool` - at `\$.version`": {"version": True},
        r"Expected `int` >= 0 - at `\$.seed`": {"seed": -1},
        r"Expected `int` <= 9223372036854775807 - at `\$.seed`": {"seed": 10**200},
        r"Expected `int`, got `float` - at `\$.actions\[1\]`": {"actions": [1, 1.0]},
        r"Expected `int`, got `array` - at `\$.actions\[0\]`": {"actions": [[]]},
        r"Expected `float` <= 1.0 - at `\$.payoffs\[1\]`": {"payoffs": [1, 2]},
        r"Expected `bool \| int \| str`, got `array` - at `\$.setup": {"setup": {"seats": [2]}},
        "its lists differ in length": {"digests": list(replay.digests[:-1])},
        "is not a name of an agent": {"agents": ["simple", "\x1b[2J"]},
        "is not a name of an agent: it takes 1": {"agents": ["simple", "x" * 1000]},
    }
    for told, fields in cases.items():
        write(file, replay)
        with pytest.raises(ReplayError, match=f"deal.json: .*{told}") as error:
            read(changed(file, **fields))
        assert len(str(error.value)) < len(str(file)) + 200
    for content in (b"[]", b"1", b'{"format": 1}', b"{}", b"null"):
        file.write_bytes(content)
        with pytest.raises(ReplayError, match=r"this JSON is no replay|Object missing required field `game`"):
            read(file)
    for content in (b"\x80\x04K\x01.", b"[" * 200_000, b"9" * 10_000, b"\xff\xfe1\x00"):
        file.write_bytes(content)
        with pytest.raises(ReplayError, match="not JSON, or cut short"):
            read(file)
    with open(file, "wb") as large:
        large.truncate(2**40)
    with pytest.raises(ReplayError, match=f"larger than the {LARGEST:,} bytes"):
        read(file)
    with pytest.raises(ReplayError, match="no replay there, it cannot be read"):
        read(tmp_path)


class Stubborn:
    name = "stubborn"

    def __init__(self, action):
        self.action = action

    def act(self, view):
        return int(np.flatnonzero(view.mask == 0)[0]) if self.action is None else self.action


@pytest.mark.parametrize("action", [None, OVER, 10**6, 1.0, "pass"])
def test_no_replay_holds_an_illegal_action(action):
    with pytest.raises(IllegalAction, match=r"seat 0, ply \d: action .* is illegal"):
        record(TORO, [Stubborn(action), RANDOM], 0)


def test_no_replay_holds_half_a_deal_or_a_name_that_breaks_lines():
    whole = list(random_deal(TORO, 1, SHORT))
    for part in (whole[:-1], [], whole[-1:] + whole):
        with pytest.raises(ValueError, match="not a whole deal"):
            from_plies(TORO, part, ["a", "b"], 1)
    with pytest.raises(ValueError, match="is not a name of an agent"):
        from_plies(TORO, whole, ["a", "b\n"], 1)
    with pytest.raises(ValueError, match="seed=-1"):
        record(TORO, [RANDOM, RANDOM], -1)


def test_a_registered_game_of_ones_own_is_found(monkeypatch):
    replay = record(KUHN, [RANDOM, RANDOM], 1)
    monkeypatch.setitem(envs._REGISTERED, KUHN.name, KUHN)
    assert game_of(replay) is KUHN
    verify(replay)


@pytest.mark.parametrize("language", ["en", "es"])
def test_watch_writes_a_replay_and_shows_it(tmp_path, capsys, language):
    file, page = tmp_path / "deal.json", tmp_path / "deal.html"
    words = ("simple", "random", "--seed", 5, "--setup", "max_rounds=1", "--language", language)
    assert sobremesa("watch", TORO.name, *words) == 0
    live = capsys.readouterr().out
    assert sobremesa("watch", TORO.name, *words, "--out", file) == 0
    assert read(file) == toro()
    assert f"{file}: {len(toro().actions)} plies, --seed 5" in capsys.readouterr().out
    assert sobremesa("watch", file, "--language", language) == 0
    assert capsys.readouterr().out == live
    assert sobremesa("watch", file, "--language", language, "--viewer", 1, "--out", page) == 0
    assert "<select" not in page.read_text(encoding="utf-8")
    assert sobremesa("watch", file, "--viewer", 2) == 2
    assert "--viewer 2 is not allowed; it takes 0 to 1" in capsys.readouterr().err


def test_a_page_shows_what_each_pair_of_eyes_sees(tmp_path):
    names = ("simple", "<!--<script>", "strong")
    played = list(random_deal(ENCIERRO, 4, {"seats": 3}))
    show.film(tmp_path / "all.html", ENCIERRO, played, names, None, "es")
    text = (tmp_path / "all.html").read_text(encoding="utf-8")
    assert "<option>Mesa abierta</option><option>⓪ simple</option><option>① &lt;!--&lt;script&gt;</option>" in text
    assert "<!--" not in text
    pieces, sights = pieces_and_sights(text)
    for viewer, sight in zip([None, 0, 1, 2], sights, strict=True):
        shown = list(show.captioned(ENCIERRO, played, names, viewer, "es"))
        assert sight["captions"] == [caption for _, caption in shown]
        assert sight["plies"] == sorted(set(sight["plies"])) == [int(ply.states["ply"][0]) for ply, _ in shown]
        assert scenes_of(pieces, sight) == [ENCIERRO.words.scene(ply.states, viewer, "es") for ply, _ in shown]
    assert len(sights[0]["captions"]) == len(played) > len(sights[1]["captions"])  # nobody counts who was asked

    show.film(tmp_path / "one.html", ENCIERRO, played, names, 1, "es")
    _, alone = pieces_and_sights((tmp_path / "one.html").read_text(encoding="utf-8"))
    assert alone == [{"frames": alone[0]["frames"], "captions": sights[2]["captions"]}]  # nor by the numbers of plies


def test_rows_are_the_decisions(tmp_path):
    replays = [record(TORO, [agents.load("simple", TORO), *[RANDOM] * (seats - 1)], seats, **SHORT) for seats in (2, 3)]
    written = dataset.write(tmp_path / "deals.npz", replays)
    header, arrays = dataset.read(tmp_path / "deals.npz", TORO)
    assert {name: array.dtype for name, array in arrays.items()} == {
        name: np.dtype(dtype) for name, (dtype, _) in dataset.kinds(TORO).items()
    }
    row = 0
    for deal, replay in enumerate(replays):
        for number, ply in enumerate(plies(replay)):
            if ply.seat == OVER:
                continue
            one = {name: array[row] for name, array in arrays.items()}
            assert (one["action"], one["seat"], one["deal"], one["ply"]) == (ply.action, ply.seat, deal, number)
            assert one["observation"].tobytes() == ply.observation.tobytes()
            assert one["mask"].tobytes() == ply.mask.tobytes()
            assert one["mask"][one["action"]] == 1
            assert one["payoff"] == np.float32(replay.payoffs[ply.seat])
            row += 1
    assert row == len(arrays["action"]) == sum(len(replay.actions) for replay in replays)
    assert all(array.tobytes() == written[name].tobytes() for name, array in arrays.items())
    assert header["deals"][1] == {"seed": 3, "setup": replays[1].setup, "agents": ["simple", "random", "random"]}
    assert list(header["blocks"]) == [block.name for block in TORO.layout]
    assert [path.name for path in tmp_path.iterdir()] == ["deals.npz"]


def test_a_dataset_is_of_one_game_and_of_replays_that_fit(tmp_path):
    kuhn, good = record(KUHN, [RANDOM, RANDOM], 1), toro()
    bad = dataclasses.replace(good, file="bad.json", digests=("0" * 8, *good.digests[1:]))
    for replays, told in (([good, kuhn], "it is of another game"), ([good, bad], "^bad.json: ply 0: the table")):
        with pytest.raises(ReplayError, match=told):
            dataset.write(tmp_path / "deals.npz", replays)
    with pytest.raises(ValueError, match="at least one replay"):
        dataset.write(tmp_path / "deals.npz", [])
    assert not list(tmp_path.iterdir())


def test_the_command_writes_a_dataset(tmp_path, capsys):
    for seed in (1, 2):
        write(tmp_path / f"{seed}.json", toro(seed))
    assert sobremesa("dataset", tmp_path / "1.json", tmp_path / "2.json", "-o", tmp_path / "new" / "deals.npz") == 0
    count = len(toro(1).actions) + len(toro(2).actions)
    assert f"{count:,} decisions of 2 deals of {TORO.id}" in capsys.readouterr().out
    with np.load(tmp_path / "new" / "deals.npz", allow_pickle=False) as stored:
        assert stored["observation"].shape == (count, TORO.layout.size)
        assert json.loads(str(stored["header"]))["game"] == TORO.name


def test_a_damaged_or_foreign_dataset_is_refused(tmp_path):
    path = tmp_path / "deals.npz"
    arrays = dataset.write(path, [toro()])
    content = path.read_bytes()
    with np.load(path) as stored:
        header = stored["header"]

    def refused(told, game=TORO):
        with pytest.raises(ReplayError, match=f"deals.npz: no dataset of {game.id}: .*{told}"):
            dataset.read(path, game)

    for length in (0, 10, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:length])
        refused("")
    path.write_bytes(content)
    refused("observation is float32", KUHN)
    for told, change in (
        ("mask has not|mask", {"mask": np.zeros((10**3, 1), np.int8)}),
        ("Object arrays|action", {"action": np.array([{}], object)}),
        ("header", {"header": np.array("x")}),
        ("its header is no string", {"header": np.array(1)}),
        (
            "it is of another game .*game 'mus'",
            {"header": np.array(json.dumps({**json.loads(str(header)), "game": "mus"}))},
        ),
        ("it holds other arrays", {"more": np.array(1)}),
    ):
        np.savez(path, **{"header": header, **arrays, **change})
        refused("" if told == "header" else told)
    np.savez_compressed(path, header=header, **arrays)
    refused("is compressed")


def test_an_array_with_a_false_size_is_not_allocated(tmp_path):
    path = tmp_path / "deals.npz"
    dataset.write(path, [toro()])
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    rows = len(toro().actions)
    there, claimed = f"({rows}, {TORO.layout.size})".encode(), f"({10**11}, {TORO.layout.size})".encode()
    front, rest = parts["observation.npy"].split(there + b", }", 1)
    spare = len(claimed) - len(there)
    assert rest[:spare] == b" " * spare
    parts["observation.npy"] = front + claimed + b", }" + rest[spare:]
    with zipfile.ZipFile(path, "w") as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    with pytest.raises(ReplayError, match="observation has not the bytes of shape"):
        dataset.read(path, TORO)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no such files here")
def test_a_replay_of_a_device_ends():
    with pytest.raises(ReplayError, match="no regular file"):
        read("/dev/zero")
