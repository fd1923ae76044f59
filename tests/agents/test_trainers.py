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
    assert inspect.signature(Table.play).parameters["answer"].annotation is str
    assert "Args:\n" in inspect.getdoc(Table.play)
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
        answer = first_legal(expected)
        expected.answer(answer)
        assert table.play(answer=answer) == expected.prompt
    assert table.get_reward() == expected.payoff
    with pytest.raises(ValueError, match="the episode is over"):
        table.play(answer)


def test_a_table_takes_answers_of_any_type():
    table = Table(KUHN)
    with pytest.raises(ValueError, match="no game has begun"):
        table.play("bet")
    table.reset(1, prompt="ignored")
    assert table.play(3).startswith("Refused")


@pytest.mark.parametrize("package", ["openenv", "verifiers", "skyrl"])
def test_a_missing_package_names_its_extra(package):
    if importlib.util.find_spec({"skyrl": "skyrl_gym"}.get(package, package)):
        pytest.skip("it is installed")
    with pytest.raises(MissingExtra, match=rf"sobremesa\[{package}\]"):
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
