"""The part of Ray that `arena/cluster.py` uses, in one process, with nodes that fail and vanish on request."""

import random
import types


class Answer:
    """A reference to what has been put, or to what a task will come to."""

    def __init__(self, call=None, node=None, value=None, able=()):
        self.call, self.node, self.able, self.value = call, node, able, value
        self.error, self.ready = None, call is None


class FakeRay:
    """`nodes_there` are the names of nodes, two processors each; `looks` is what one of them says of itself."""

    def __init__(self, *names, seed=0):
        self.nodes_there = list(names)
        self.rng = random.Random(seed)
        self.exceptions = types.SimpleNamespace(RayError=type("RayError", (Exception,), {}))
        self.util = types.SimpleNamespace(get_node_ip_address=lambda: "192.0.2.7")
        self.looks, self.now, self.idle = {}, None, 0

    def nodes(self):
        return [{"NodeID": one, "NodeName": one, "Alive": True, "Resources": {"CPU": 2.0}} for one in self.nodes_there]

    def put(self, value):
        return Answer(value=value)

    def get(self, answer):
        assert answer.ready
        if answer.error is not None:
            raise answer.error
        return answer.value

    def remote(self, **_):
        return lambda function: _Remote(self, function)

    def get_runtime_context(self):
        return types.SimpleNamespace(get_node_id=lambda: self.now)

    def cancel(self, answer, **_):
        answer.ready = True

    def wait(self, answers, num_returns=1, timeout=None):
        """Let something happen, in any order; return what is ready."""
        if timeout:
            self._lose(answers)
            going = [one for one in answers if not one.ready and one.node in self.nodes_there]
            self.idle = 0 if going else self.idle + 1
            assert self.idle < 100, "this would wait for ever"
            if going:
                self._run(self.rng.choice(going))
        return [one for one in answers if one.ready][:num_returns], []

    def _lose(self, answers):
        """Have what nodes that went were doing fail, and what had not begun go to others that may do it."""
        for one in answers:
            if not one.ready and one.node not in self.nodes_there:
                others = sorted(set(one.able) & set(self.nodes_there))
                if self.rng.random() < 0.3:
                    one.ready, one.error = True, self.exceptions.RayError("the node died")
                elif others:
                    one.node = self.rng.choice(others)

    def vanish(self, name):
        """Have a node go, with what it does."""
        self.nodes_there.remove(name)

    def _run(self, answer):
        answer.ready, self.now = True, answer.node
        try:
            answer.value = answer.call()
        except Exception as error:
            answer.error = self.exceptions.RayError(f"{type(error).__name__}: {error}")


class _Remote:
    def __init__(self, ray, function, selector=None):
        self.ray, self.function, self.selector = ray, function, selector

    def options(self, label_selector):
        return _Remote(self.ray, self.function, label_selector)

    def remote(self, *arguments):
        named = next(iter(self.selector.values())).removeprefix("in(").removesuffix(")").split(",")
        node = self.ray.rng.choice(sorted(set(named) & set(self.ray.nodes_there)) or named)

        def call():
            given = [one.value if isinstance(one, Answer) else one for one in arguments]
            if self.function.__name__ == "look" and self.ray.now in self.ray.looks:
                return self.ray.looks[self.ray.now]
            return self.function(*given)

        return Answer(call, node, able=named)
