"""Clients at the doors to a seat: MCP, TRL, OpenEnv and the browser's table, behind a network that fails."""

import re
from zlib import crc32

from sobremesa import envs
from sobremesa.agents.decisions import NotPresent
from sobremesa.agents.language.parser import parse_answer
from sobremesa.agents.language.prompt import Style, turn_prompt
from sobremesa.agents.trainers import Deals
from sobremesa.agents.trainers.trl import Table as TrlTable
from sobremesa.mcp.tables import AGAIN, Tables as McpTables
from sobremesa.serve.table import PERSON, Opening, Refused, Seated, open_table

END = 2**60  # in place of the number of a decision, after the last one


def listed(text):
    """Return the names of the legal actions in a prompt; [] for a refusal."""
    found = re.search(r"^LEGAL ACTIONS \(\d+\)\n(.*?)\n\n", text, re.MULTILINE | re.DOTALL)
    return found[1].split("\n") if found else []


def numbered(text):
    """Return the number at the end of a message, and the message without it."""
    found = re.search(r"\nDECISION (\d+)$", text)
    return (int(found[1]), text[: found.start()]) if found else (END, text)


class Door:
    """A seat in one deal: `first` is the first decision, `send` gives an answer and returns the next decision or None.

    A decision is a number and its text. `rights` has for each answer that was read the prompt that it was read for, and
    the number that the client wrote into it.
    """

    sent = refused = 0

    def send(self, number, answer):
        self.sent += 1
        try:
            return self.deliver(number, answer)
        except (NotPresent, Refused):
            self.refused += 1
            return None

    def rights(self):
        for decision in self.episode.decisions:
            for answer in decision.answers:
                yield decision.prompt, int(re.match(r"For (\d+)", answer)[1])

    @property
    def actions(self):
        return self.episode.actions

    @property
    def over(self):
        return self.episode.over


class Mcp(Door):
    """The tools of `sobremesa mcp`."""

    def __init__(self, game, seed, folder):
        self.tables = McpTables(seeds=AGAIN)
        opened = self.tables.open_table(game, seat=seed % 2, opponents="random", seed=seed)
        self.table = re.match(r"TABLE (\w+)", opened)[1]
        self.first = numbered(self.tables.look(self.table))
        self.episode = self.tables._open[self.table].episode

    def deliver(self, number, answer):
        return numbered(self.tables.act(self.table, number, answer))


class Trl(Door):
    """The tool of a table of TRL."""

    def __init__(self, game, seed, folder):
        self.table = TrlTable(Deals(game, "random"))
        number, _ = numbered(self.table.reset(seed))
        self.episode = self.table._calls.episode
        self.first = number, self.episode.prompt

    def deliver(self, number, answer):
        return numbered(self.table.play(decision=number, answer=answer))


class OpenEnv(Door):
    """A session of OpenEnv."""

    def __init__(self, game, seed, folder):
        from sobremesa.agents.trainers import openenv

        self.answer = openenv.Answer
        self.table = openenv.Table(Deals(game, "random"))
        self.first = self.seen(self.table.reset(seed=seed))
        self.episode = self.table._episode

    @staticmethod
    def seen(observation):
        return (END if observation.done else observation.decision), observation.messages[-1]["content"]

    def deliver(self, number, answer):
        return self.seen(self.table.step(self.answer(answer=answer, decision=number)))


class Browser(Door):
    """A seat at a table of `sobremesa serve`; its moment is the number."""

    def __init__(self, game, seed, folder):
        from sobremesa.serve.store import Store

        seats = int(envs.load(game).new_tables(1, {})["seats"][0])
        seated = [Seated("agent", f"bot {one}", "random") for one in range(seats)]
        self.seat = seed % 2
        seated[self.seat] = Seated(PERSON, "you")
        self.store = Store(folder / f"{game} {seed} {id(self)}.db")
        self.table = open_table(self.store, Opening(game, {}, seed, tuple(seated), self.seat))
        self.first = self.seen()

    def seen(self):
        table = self.table
        while not table.deal.over and table.deal.seat != self.seat:
            table.play_agent(table.deal.seat, table.version, int(table.deal.mask.argmax()))
        if table.deal.over:
            return END, "over"
        return table.moment(self.seat), turn_prompt(table.view(self.seat), Style())

    def deliver(self, number, answer):
        read = parse_answer(answer, self.table.game, self.table.view(self.seat).mask, "en")
        self.table.play(self.seat, number, read.named if read.action is None else read.action)
        return self.seen()

    def rights(self):
        return iter(())  # the table stores actions, and not what a client wrote

    @property
    def actions(self):
        return self.table.deal.actions

    @property
    def over(self):
        return self.table.deal.over


DOORS = {"MCP": Mcp, "TRL": Trl, "OpenEnv": OpenEnv, "the browser": Browser}


class Client:
    """A client that answers each decision by a function of its text, and writes the number into the answer."""

    def __init__(self, door):
        self.door = door
        self.texts = {}  # of decisions by number
        self.prompts = {}  # by number; of a refusal that of the refused answer
        self.now = 0
        self.take(door.first, None)

    def take(self, decision, asked):
        """Note what came back for the answer to the decision `asked`; go on if it is newer than all before."""
        number, text = decision
        if number != END:
            self.texts.setdefault(number, text)
            self.prompts.setdefault(number, text if listed(text) else self.prompts.get(asked))
        self.now = max(self.now, number)

    def answer(self):
        """Return the number of the newest decision and the answer to it; one in five decisions gets a bad one first."""
        text, names = self.texts[self.now], listed(self.prompts[self.now])
        choice = crc32(text.encode())
        if listed(text) and choice % 5 == 0 and not isinstance(self.door, Browser):
            return self.now, f"For {self.now}\nACTION: nothing"
        return self.now, f"For {self.now}\nACTION: {names[choice % len(names)]}"


def play_in_order(door):
    """Play the deal to its end over a network without faults."""
    client = Client(door)
    while client.now != END:
        number, answer = client.answer()
        client.take(door.send(number, answer), number)
    return client


def play_over_a_bad_network(door, random):
    """As `play_in_order`, while messages both ways are doubled, delayed, reordered and lost; return the client."""
    client, sent, returned = Client(door), [], []
    while client.now != END:
        sent.append(client.answer())  # again and again, until a newer decision arrives
        assert door.sent < 10_000
        for _ in range(random.randrange(1, 5)):
            event, flight = random.random(), sent if random.random() < 0.5 else returned
            if not flight:
                continue
            one = flight[random.randrange(len(flight))]
            if event < 0.7:  # others stay in flight, to arrive once more
                flight.remove(one)
            if event < 0.1:
                continue
            if flight is sent:
                back = door.send(*one)
                if back is not None:
                    returned.append((one[0], back))
            else:
                client.take(one[1], one[0])
    for number, answer in sent:
        door.send(number, answer)
    return client
