"""Helpers that open tables of the server and play at them."""

import contextlib
import json
import random
from urllib.parse import urljoin

from sobremesa.envs.core.game import PUBLIC
from sobremesa.serve.frames import frame
from sobremesa.serve.opponents import Bench
from sobremesa.serve.seated import BOT, PERSON, Seated
from sobremesa.serve.table import Opening

HOME = "http://127.0.0.1:8642"
OURS = {"origin": HOME}
LONG = 600  # seconds; tests never see the waiting page
SEED = 8_642_097_531_864_209_753  # unlikely to appear in a frame by chance


def opening(game, people=1, seats=None, seed=SEED, agent="simple", **setup):
    """Return the settings of a table: people at the first seats, `agent` at the others."""
    seats = seats or game.default_seats
    seated = [Seated(PERSON, f"person {seat}") for seat in range(people)]
    seated += [Seated(BOT, agent, agent)] * (seats - people)
    return Opening(game.name, {**setup, "seats": seats}, seed, tuple(seated), 0)


def landed(answer):
    """Return the path to which an answer redirects."""
    return urljoin(str(answer.request.url), answer.headers["location"]).removeprefix(HOME)


def seen(table, seat, language="en"):
    """Return the parsed frame of a seat."""
    return json.loads(frame(table, seat, language))


def play_on(table, choose=None, plies=None):
    """Play a table to its end or for `plies`; people use `choose(frame)`, or play at random."""
    bench, lot = Bench(table), random.Random(1)
    choose = choose or (lambda shown: lot.choice(shown["actions"])[0])
    while not table.deal.over and (plies is None or plies > 0):
        seat = table.deal.seat
        if table.opening.seated[seat].kind == BOT:
            table.play_agent(seat, table.version, bench.ask(seat, table.version))
        else:
            shown = seen(table, seat)
            table.play(seat, shown["moment"], choose(shown))
        plies = None if plies is None else plies - 1
    return table


def link(table, seat):
    return f"/{'watch' if seat == PUBLIC else 'seat'}/{table.tokens[seat]}"


def connect(client, token, headers=OURS):
    return client.websocket_connect(f"{HOME.replace('http', 'ws')}/wire/{token}", headers=headers)


@contextlib.contextmanager
def sitting(client, table, seat, language="en"):
    """Open the socket of a seat; gives it and its first frame."""
    with connect(client, f"{table.tokens[seat]}?language={language}") as socket:
        yield socket, socket.receive_json()


def refused(socket):
    answer = socket.receive_json()
    assert answer["what"] == "refused", answer
    return answer["kind"]


def heard(socket, what="frame"):
    """Return the next message of a kind."""
    while (answer := socket.receive_json())["what"] != what:
        pass
    return answer


def send_replay(client, content, kind=None):
    body = b'--cut\r\nContent-Disposition: form-data; name="replay"; filename="x.json"\r\n'
    body += b"Content-Type: application/json\r\n\r\n" + content + b"\r\n--cut--\r\n"
    headers = OURS | {"content-type": kind or "multipart/form-data; boundary=cut"}
    return client.post("/replays?language=en", content=body, headers=headers)
