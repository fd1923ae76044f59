"""The environments for trainers of language models, without the packages of the trainers."""

import asyncio
import importlib
import importlib.util
import inspect

import pytest
from fake_time import FastLoop, Socket

from sobremesa import envs
from sobremesa.agents.trainers import Deals
from sobremesa.agents.trainers.deals import metrics
from sobremesa.agents.trainers.idle import close_idle
from sobremesa.agents.trainers.trl import Table, rows
from sobremesa.envs.core.errors import MissingExtra

KUHN = Deals("kuhn_poker", "random")
IDLE = 600.0


def first_legal(episode):
    return episode.game.words.action_name(int(episode.view.mask.argmax()), episode.style.language)


def played(deals, seed):
    episode = deals.episode(seed)
    while not episode.over:
        episode.answer(first_legal(episode))
    return episode


def test_one_seed_is_one_deal():
    assert played(KUHN, 3).messages == played(KUHN, 3).messages
    assert played(KUHN, 3).messages != played(KUHN, 4).messages


def test_the_seat_changes_with_the_seed_unless_it_is_set():
    assert [KUHN.episode(seed).seat for seed in range(4)] == [0, 1, 0, 1]
    assert {Deals("kuhn_poker", "random", seat=1).episode(seed).seat for seed in range(4)} == {1}
    five = Deals("corre_el_encierro", ("random", "simple"), setup={"seats": 5})
    assert [five.episode(seed).seat for seed in (4, 5)] == [4, 0]


def test_a_reward_is_the_payoff_or_the_penalty():
    deals = Deals("kuhn_poker", "random", penalty=3.0, attempts=1)
    ended, open_one, lost = played(deals, 1), deals.episode(1), deals.episode(1)
    lost.answer("?")
    assert [deals.reward(one) for one in (ended, open_one, lost)] == [ended.payoff, -3, -3]
    assert metrics(lost) == {"forfeit": 1, "unfinished": 0, "decisions": 0, "refused": 1}
    assert metrics(open_one)["unfinished"] == 1
    assert metrics(ended)["decisions"] == len(ended.decisions)


@pytest.mark.parametrize("wrong", [{"opponents": "no such agent"}, {"seat": 2}, {"language": "fr"}, {"attempts": 0}])
def test_wrong_settings_are_refused(wrong):
    with pytest.raises(ValueError):
        Deals("kuhn_poker", **{"opponents": "random", **wrong}).episode(0)


def test_a_table_has_one_tool_with_documented_arguments():
    public = [name for name, _ in inspect.getmembers(Table, inspect.isfunction) if not name.startswith("_")]
    assert public == ["get_reward", "play", "reset"]
    parameters = inspect.signature(Table.play).parameters
    assert [parameters[name].annotation for name in ("decision", "answer")] == [int, str]
    assert all(one.default is one.empty for one in parameters.values())
    assert "Args:\n" in inspect.getdoc(Table.play)
    assert "    decision: " in inspect.getdoc(Table.play)
    assert "    answer: " in inspect.getdoc(Table.play)


@pytest.mark.parametrize("game", envs.games())
@pytest.mark.parametrize("language", ["en", "es"])
def test_a_table_plays_the_episode(game, language):
    deals = Deals(game, "random", language=language)
    (row,), expected, table = rows([7]), deals.episode(7, tool="play"), Table(deals)
    text = table.reset(**row)
    assert all(message["content"] in text for message in expected.messages)
    while not expected.over:
        assert table.get_reward() == -1
        answer, decision = first_legal(expected), table.decision
        assert text.endswith(f" {decision}")
        expected.answer(answer)
        text = table.play(decision=decision, answer=answer)
        assert text.removesuffix(f"\n{text.splitlines()[-1]}" if not expected.over else "") == expected.prompt
        assert table.play(decision=str(decision), answer=answer) == text, "a repeated call plays nothing"
    assert table.get_reward() == expected.payoff
    with pytest.raises(ValueError, match=r"(?s)not played: .* It is over:.*"):
        table.play(decision=1, answer=answer)


def test_a_table_takes_answers_of_any_type():
    table = Table(KUHN)
    with pytest.raises(ValueError, match="no game has begun"):
        table.play(decision=1, answer="bet")
    table.reset(1, prompt="ignored")
    assert table.play(decision=table.decision, answer=3).startswith("Refused")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"answer": "bet"}, "the argument decision is missing; play takes decision, answer"),
        ({"decision": 1}, "the argument answer is missing"),
        ({"decision": 1, "answr": "bet"}, "no argument 'answr'; did you mean answer?"),
        ({"decision": None, "answer": "bet"}, "(?s)not played: the answer names no decision. .*DECISION"),
        ({"decision": "next", "answer": "bet"}, "(?s)not played: next is not the present decision. .*DECISION"),
    ],
)
def test_a_call_without_its_decision_is_refused(arguments, why):
    table = Table(KUHN)
    table.reset(1)
    with pytest.raises(ValueError, match=why):
        table.play(**arguments)
    assert table.play(decision=table.decision, answer="?").startswith("Refused")


@pytest.mark.parametrize("seed", ["x", -1, 1.5, True, None])
def test_wrong_seeds_are_refused_in_a_sentence(seed):
    with pytest.raises(ValueError, match=r"seed=.* is not allowed; it takes a whole number from 0"):
        KUHN.episode(seed)


@pytest.mark.parametrize("package", ["openenv", "verifiers", "skyrl"])
def test_a_missing_package_names_its_extra(package):
    if importlib.util.find_spec({"skyrl": "skyrl_gym"}.get(package, package)):
        pytest.skip("it is installed")
    with pytest.raises(MissingExtra, match=f"the '{package}' extra"):
        importlib.import_module(f"sobremesa.agents.trainers.{package}")


async def echo(scope, receive, send):
    """Answer each message of a WebSocket until the client leaves."""
    if scope["type"] != "websocket":
        await send({"type": "other"})
        return
    while (message := await receive())["type"] != "websocket.disconnect":
        await send({"type": "websocket.send", "text": message.get("text", "")})
    await send({"type": "websocket.close", "code": message["code"]})


def test_an_idle_websocket_is_closed():
    async def talk():
        loop, link = asyncio.get_running_loop(), Socket(close_idle(echo, IDLE))
        for _ in range(100):  # a client that speaks stays
            await asyncio.sleep(IDLE - 1)
            await link.ask("hello")
        left = loop.time()
        await link.ended()
        return loop.time() - left

    assert FastLoop().run_until_complete(talk()) == IDLE


def test_a_client_that_does_not_read_is_left():
    async def send(message):
        await asyncio.sleep(10 * IDLE)

    async def talk():
        messages = asyncio.Queue()
        messages.put_nowait({"type": "websocket.receive", "text": "hello"})
        with pytest.raises(OSError, match="does not read"):
            await close_idle(echo, IDLE)({"type": "websocket"}, messages.get, send)
        return asyncio.get_running_loop().time()

    assert FastLoop().run_until_complete(talk()) == IDLE


def test_other_requests_have_no_limit():
    async def talk():
        sent = asyncio.Queue()
        await close_idle(echo, IDLE)({"type": "http"}, None, sent.put)
        return sent.get_nowait()

    assert FastLoop().run_until_complete(talk()) == {"type": "other"}
