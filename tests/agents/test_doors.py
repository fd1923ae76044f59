"""Every door to a seat: an answer chosen for one position is not played at another one, however messages arrive."""

import asyncio
import importlib
import random
import sys
import threading
from types import SimpleNamespace

import fake_trainers
import pytest
from doors import DOORS, END, Client, listed, numbered, play_in_order, play_over_a_bad_network
from foreigners import SHORT, command
from lowest import LOWEST
from rooms import TORO

from sobremesa import agents
from sobremesa.agents.arena.play import play
from sobremesa.agents.builtin import RANDOM
from sobremesa.agents.decisions import REMEMBERED, Decisions, NotPresent, check_names
from sobremesa.agents.trainers import Deals
from sobremesa.agents.trainers.trl import Table
from sobremesa.envs.core.errors import MissingExtra

GAMES = ("leduc_poker", "corre_el_encierro")


@pytest.fixture(autouse=True)
def _packages():
    """Put parts of the packages of trainers in the place of those that are missing."""
    made = []
    for put in (fake_trainers.openenv, fake_trainers.verifiers, fake_trainers.skyrl):
        module = f"sobremesa.agents.trainers.{put.__name__}"
        try:
            importlib.import_module(module)
        except MissingExtra:
            made += [*put(), module]
    yield
    for name in made:
        sys.modules.pop(name, None)


def adapter(name):
    return importlib.import_module(f"sobremesa.agents.trainers.{name}")


# All doors with a number.


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("door", DOORS)
def test_a_bad_network_plays_what_a_good_one_plays(door, game, tmp_path):
    sent = [0, 0]
    for seed in range(8 if game == "leduc_poker" else 2):
        clean, bad = (DOORS[door](game, seed, tmp_path) for _ in range(2))
        play_in_order(clean)
        client = play_over_a_bad_network(bad, random.Random(seed))
        assert clean.over
        assert bad.over
        assert bad.actions == clean.actions
        assert clean.refused == 0
        for prompt, number in bad.rights():
            assert client.prompts[number] == prompt
        sent = [sent[0] + clean.sent, sent[1] + bad.sent]
    assert sent[1] > 2 * sent[0]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("door", DOORS)
def test_of_two_answers_at_once_the_second_is_not_played(door, game, tmp_path):
    for seed in range(8):
        one = DOORS[door](game, seed, tmp_path)
        client = Client(one)
        while client.now != END:
            number, names = client.now, listed(client.prompts[client.now])
            before = len(one.actions)
            client.take(one.send(number, f"For {number}\nACTION: {names[0]}"), number)
            after, refused = list(one.actions), one.refused
            assert len(after) > before
            guesses = {number, number + 1, number + 1000, number + 10_000} - {client.now}
            for guess in guesses if door != "the browser" else {number}:  # its page sends the numbers that it gets
                assert one.send(guess, f"For {guess}\nACTION: {names[-1]} or another") is None
            assert one.refused > refused
            assert one.actions == after


@pytest.mark.parametrize("door", DOORS)
def test_a_lost_answer_is_asked_for_again(door, tmp_path):
    one = DOORS[door]("corre_el_encierro", 3, tmp_path)
    client = Client(one)
    while client.now != END:
        number, answer = client.answer()
        results = [one.send(number, answer) for _ in range(3)]
        assert results[0] == results[1] == results[2]
        client.take(results[0], number)


def test_a_refusal_shows_the_present_decision(tmp_path):
    for name in ("MCP", "TRL", "OpenEnv"):
        one = DOORS[name]("leduc_poker", 1, tmp_path)
        number, text = one.first
        for wrong in (None, 7, "first", number + 1, True):
            with pytest.raises(NotPresent) as refused:
                one.deliver(wrong, "call")
            assert text.splitlines()[-3] in str(refused.value)
            assert str(number) in str(refused.value)


# Doors of one library each.


def test_the_loop_of_trl_plays_one_call_of_a_turn():
    """As `GRPOTrainer` runs all calls of one answer of the model, each with the error or the result as its message."""
    for seed in range(8):
        table = Table(Deals("leduc_poker", "random"))
        number, _ = numbered(table.reset(seed))
        episode = table._calls.episode
        table.play(decision=number, answer="call")
        played = list(episode.actions)
        for arguments, why in (
            ({"decision": number, "answer": "raise"}, "another answer"),
            ({"answer": "call"}, "missing"),
        ):
            with pytest.raises(ValueError, match=why):
                table.play(**arguments)
        assert episode.actions == played


def test_an_answer_to_an_earlier_episode_of_openenv_is_refused():
    openenv = adapter("openenv")
    table = openenv.Table(Deals("leduc_poker", "random"))
    first = table.reset(seed=1)
    late = openenv.Answer(answer="ACTION: call", decision=first.decision)
    again = table.reset(seed=1)
    assert again.messages == first.messages
    with pytest.raises(NotPresent, match=r"(?s)not played: .*The present decision is"):
        table.step(late)
    state = table.state
    assert (state.step_count, state.decision, state.prompt) == (0, again.decision, again.messages[-1]["content"])


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"seed": "x"}, "seed='x' is not allowed; it takes a whole number from 0"),
        ({"seed": 1.5}, "seed=1.5 is not allowed"),
        ({"sead": 1}, "no argument 'sead'; did you mean seed?"),
        ({"options": {}}, "no argument 'options'; reset takes seed, episode_id"),
    ],
)
def test_wrong_arguments_of_a_reset_are_refused_by_name(given, why):
    table = adapter("openenv").Table(Deals("leduc_poker", "random"))
    with pytest.raises(ValueError, match=why):
        table.reset(**given)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"answer": "call"}, "(?s)not played: the answer names no decision. .*LEGAL ACTIONS"),
        ({"decision": 1}, "a step needs the answer of the model in `answer`"),
        ({"answr": "call", "decision": 1}, "no argument 'answr'; did you mean answer?"),
    ],
)
def test_wrong_steps_of_openenv_are_refused_by_name(given, why):
    openenv = adapter("openenv")
    table = openenv.Table(Deals("leduc_poker", "random"))
    table.reset(seed=1)
    with pytest.raises(ValueError, match=why):
        table.step(openenv.Answer(**given))
    assert openenv.Answer.model_json_schema()["required"] == ["answer", "decision"]


def test_steps_of_skyrl_at_the_same_time_are_refused():
    table = adapter("skyrl").Table({"game": "leduc_poker", "opponents": "random"}, {"seed": 1})
    entered, leave, answer = threading.Event(), threading.Event(), table.episode.answer

    def slow(text):
        entered.set()
        leave.wait(60)
        return answer(text)

    table.episode.answer = slow
    first = threading.Thread(target=table.step, args=("ACTION: call",))
    first.start()
    entered.wait(60)
    with pytest.raises(ValueError, match="another step of this episode is not finished"):
        table.step("ACTION: raise")
    leave.set()
    first.join()
    assert sum(len(one.answers) for one in table.episode.decisions) == 1


def test_a_step_of_skyrl_after_the_end_plays_nothing():
    limited = adapter("skyrl").Table({"game": "leduc_poker", "opponents": "random"}, {"seed": 1, "max_turns": 1})
    last = limited.step("ACTION: call")
    actions = list(limited.episode.actions)
    assert limited.step("ACTION: call") == last
    assert last["done"]
    assert limited.episode.actions == actions


def test_replies_of_verifiers_follow_their_prompts():
    module, episode, asked = adapter("verifiers"), Deals("leduc_poker", "random").episode(1), []

    class Interaction:
        trace = SimpleNamespace(
            is_truncated=False, info={}, record_reward=lambda *_: None, record_metrics=lambda given: asked.append(given)
        )

        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            pass

        async def turn(self, prompt=None):
            assert prompt in (None, episode.prompt)
            name = episode.game.words.action_name(int(episode.view.mask.argmax()), "en")
            episode.answer(f"ACTION: {name}")
            return SimpleNamespace(terminated=False, last_reply=f"ACTION: {name}")

    config = module.DealsConfig(game="leduc_poker", opponents="random", first_seed=1, deals=1)
    env = module.DealEnv(module.DealTaskset(config))
    task = SimpleNamespace(data=SimpleNamespace(seed=1))
    asyncio.run(env.run(task, SimpleNamespace(player=SimpleNamespace(interaction=lambda _: Interaction()))))
    assert episode.over
    assert asked[0]["decisions"] == len(episode.decisions)


STUTTERS = """
said = []
def late(answer):
    said.append(json.dumps(answer))
    for line in (*reversed(said[-4:-1]), said[-1], said[-1]):  # earlier answers once more, then this one twice
        print(line, flush=True)
say(protocol=2)
say(protocol=2)
for line in sys.stdin:
    asked = json.loads(line)
    if asked["type"] == "act":
        late({"decision": asked["decision"], "action": asked["legal"][0]})
"""


def test_lines_of_an_external_agent_that_arrive_twice_count_once(tmp_path):
    agent = agents.load(command(tmp_path, STUTTERS))
    rows = play(TORO, [agent, RANDOM], 2, seed=4, **SHORT)
    assert not rows.lost()
    expected = play(TORO, [LOWEST, RANDOM], 2, seed=4, secret=rows.secret, **SHORT)
    assert rows.payoffs.tolist() == expected.payoffs.tolist()
    assert rows.plies.tolist() == expected.plies.tolist()


def test_another_line_for_an_answered_decision_is_a_fault(tmp_path):
    code = STUTTERS.replace("said[-1], said[-1]", "said[-1], said[-1].replace('}', ', \"error\": \"no\"}')")
    rows = play(TORO, [agents.load(command(tmp_path, code)), RANDOM], 1, seed=4, **SHORT)
    assert all("protocol error: " in why and "has another answer" in why for _, why in rows.lost())
    assert rows.lost()


# The contract.


def test_an_answer_counts_once():
    decisions, played = Decisions(b"key"), []
    first = decisions.number

    def once(number, answer):
        return decisions.once(number, answer, lambda following: played.append(answer) or following)

    second = once(first, "a")
    assert second == decisions.number > first
    assert once(first, "a") == once(str(first), "a") == second
    for number, answer in ((first, "b"), (second + 1, "a"), (None, "a"), (True, "a"), (first + 0.5, "a"), ("x", "a")):
        with pytest.raises(NotPresent, match=f"not played: .* The present one is {second}"):
            once(number, answer)
    assert played == ["a"]


def test_an_answer_that_could_not_be_played_may_be_given_again():
    decisions = Decisions(b"key")
    number = decisions.number
    with pytest.raises(OSError):
        decisions.once(number, "a", lambda _: (_ for _ in ()).throw(OSError))
    assert decisions.number == number
    assert decisions.once(number, "a", lambda _: "played") == "played"


def test_numbers_follow_from_the_key_and_the_answers():
    def numbers(key, answers):
        decisions = Decisions(key)
        for answer in answers:
            decisions.take(answer, None)
        return decisions.number

    assert numbers(b"k", "ab") == numbers(b"k", "ab")
    many = {numbers(key, answers) for key in (b"k", b"l", b"") for answers in ("ab", "ba", "bb", "aa")}
    assert len(many) > 10
    assert {number // 10_000 for number in many} == {3}
    assert [Decisions().number, Decisions(first=0).number] == [1, 0]


def test_old_answers_are_forgotten():
    decisions = Decisions()
    for number in range(1, REMEMBERED + 2):
        decisions.take(number, None)
    assert decisions.is_repeat(2, 2)
    with pytest.raises(NotPresent, match="1 is not the present decision"):
        decisions.is_repeat(1, 1)


def test_names_are_checked_with_the_nearest_one():
    check_names("play", ["answer"], ["answer", "decision"], ["answer"])
    with pytest.raises(ValueError, match=r"no argument 'anwser'; did you mean answer\? play takes answer, decision"):
        check_names("play", ["anwser"], ["answer", "decision"])
    with pytest.raises(ValueError, match="no argument 'x'; play takes no arguments"):
        check_names("play", ["x"], [])
    with pytest.raises(ValueError, match="the argument answer is missing; play takes answer"):
        check_names("play", [], ["answer"], ["answer"])
