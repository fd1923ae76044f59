"""verifiers: its loader, agents and traces, with a server on this machine in place of a model."""

import asyncio
import json
import os
import re
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import verifiers.v1 as vf

from sobremesa import envs
from sobremesa.agents.trainers import Deals
from sobremesa.agents.trainers.verifiers import DealsConfig, DealTaskset

MODULE = """\
from sobremesa.agents.trainers.verifiers import DealEnv, DealTaskset

__all__ = ["DealEnv", "DealTaskset"]
"""
GROUP = 3


class Model(BaseHTTPRequestHandler):
    """Answers chat completions: the first legal action of the prompt, or the text that the model's name sets."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        said = asked["model"]
        prompt = asked["messages"][-1]["content"]
        if not isinstance(prompt, str):
            prompt = "".join(part["text"] for part in prompt)
        if said == "legal":
            said = "I think.\nACTION: " + re.search(r"LEGAL ACTIONS \(\d+\)\n(.*)", prompt)[1]
        reason = "length" if said.startswith("cut") else "stop"
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        frame = {"id": "1", "created": 0, "model": "m", "usage": usage}
        said = {"role": "assistant", "content": said.removeprefix("cut ")}
        choice = {"index": 0, "finish_reason": reason}
        if asked.get("stream"):
            chunk = frame | {"object": "chat.completion.chunk", "choices": [choice | {"delta": said}]}
            self._send(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n", "text/event-stream")
        else:
            whole = frame | {"object": "chat.completion", "choices": [choice | {"message": said}]}
            self._send(json.dumps(whole), "application/json")

    def _send(self, text, kind):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_):
        pass


async def rollouts(url, model, count, player=None, **settings):
    """Play `count` rollouts of each task by verifiers; return a list of episodes for each task."""
    taskset = {"id": "deals_at_home", "opponents": "random", **settings}
    env = vf.load_environment(vf.resolve_env_config({"taskset": taskset, "player": player or {}}))
    client = vf.EvalClientConfig(base_url=url, api_key_var="NO_KEY")
    context = vf.ModelContext(model=model, client=client, sampling=vf.SamplingConfig())
    async with env.serving():
        return [
            await asyncio.gather(*(env.run_slot(slot, context) for slot in env.slots(task, count)))
            for task in env.taskset
        ]


def score(episode):
    assert episode.ok, episode.errors or [trace.errors for trace in episode.traces]
    (trace,) = episode.traces
    return {name: reward.score for name, reward in trace.rewards.items()}, trace


def expected(deals, seed):
    episode = deals.episode(seed)
    while not episode.over:
        episode.answer(episode.game.words.action_name(int(episode.view.mask.argmax()), "en"))
    return episode


def settings_are_those_of_deals():
    assert DealTaskset(DealsConfig(id="deals_at_home", game="kuhn_poker")).deals == Deals("kuhn_poker")


def groups_share_a_deal(url):
    groups = asyncio.run(rollouts(url, "legal", GROUP, game="kuhn_poker", first_seed=5, deals=2))
    for seed, group in zip((5, 6), groups, strict=True):
        played = expected(Deals("kuhn_poker", "random"), seed)
        for episode in group:
            scores, trace = score(episode)
            assert scores == {"payoff": played.payoff, "forfeit": 0.0}
            texts = [node.message.content for node in trace.nodes if node.message.role == "user"]
            assert texts == [one["content"] for one in played.messages[1:-1] if one["role"] == "user"]
    print(f"{len(groups)} groups of {GROUP} rollouts shared their deals and had the payoffs of the library")


def forfeits_have_a_reward_of_their_own(url):
    for said, kind in (("nonsense", "no action"), ("cut ACTION: bet", "cut off")):
        ((episode,),) = asyncio.run(rollouts(url, said, 1, game="kuhn_poker", deals=1, penalty=0.5))
        scores, trace = score(episode)
        assert scores == {"payoff": 0.0, "forfeit": -0.5}
        assert (trace.metrics["forfeit"], trace.metrics["refused"], trace.info["forfeited"]) == (1, 3, kind)
    print("forfeits had the penalty as a reward of their own")


def every_game_can_be_cut_short(url):
    for game in envs.games():
        ((episode,),) = asyncio.run(rollouts(url, "legal", 1, {"max_turns": 2}, game=game, deals=1))
        scores, trace = score(episode)
        assert scores == {"payoff": 0.0, "forfeit": -1.0}
        assert (trace.metrics["unfinished"], trace.metrics["decisions"]) == (1, 2)
    print(f"in {len(envs.games())} games a limit of turns ended a rollout as an unfinished one")


if __name__ == "__main__":
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # its harness starts uv
    os.environ["NO_KEY"] = "none"
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "deals_at_home.py").write_text(MODULE, encoding="utf-8")
        sys.path.insert(0, folder)
        url = f"http://127.0.0.1:{server.server_port}/v1"
        settings_are_those_of_deals()
        groups_share_a_deal(url)
        forfeits_have_a_reward_of_their_own(url)
        every_game_can_be_cut_short(url)
