"""In which order the nodes of a network's graph are worked out, so that what may be passed over lies together."""

from sobremesa.agents.graph_file import Node


def in_order(nodes: list[Node]) -> tuple[list[Node], dict[str, tuple[str, int]]]:
    """Return `nodes` in another order, where what is only there for one factor of a product stands right before it.

    Such products are told by name, each with the name of its other factor and how many nodes stand there for the one.
    Such parts lie within one another or apart, and all that they take lies before them.
    """
    askers: dict[str, set[str]] = {}  # of a value, by what they give
    for node in nodes:
        for name in node.takes:
            askers.setdefault(name, set()).add(node.gives[0])
    order: list[Node] = list(nodes)
    parts: dict[str, tuple[str, int]] = {}
    for product in (node for node in reversed(nodes) if node.kind == "Mul"):
        own, factor = _asked_for_by(product, nodes, askers)
        if own:
            parts[product.gives[0]] = (factor, len(own))
            part = [node for node in order if node.gives[0] in own]
            rest = [node for node in order if node.gives[0] not in own]
            at = [node.gives[0] for node in rest].index(product.gives[0])
            order = [*rest[:at], *part, *rest[at:]]
    return order, parts


def _asked_for_by(product: Node, nodes: list[Node], askers: dict[str, set[str]]) -> tuple[set[str], str]:
    """Return which of `nodes` are only there for one factor of `product`, that with more of them, and the other one."""
    found: list[tuple[set[str], str]] = [(set(), "")]
    for name, other in (product.takes, product.takes[::-1]):
        own: set[str] = set()
        for node in reversed(nodes):
            asked_by = askers.get(node.gives[0], set())
            if asked_by and (asked_by <= own or (node.gives[0] == name and asked_by == {product.gives[0]})):
                own.add(node.gives[0])
        found.append((own, other))
    return max(found, key=lambda pair: len(pair[0]))
