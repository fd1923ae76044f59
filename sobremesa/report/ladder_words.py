"""Texts of the ladder in all languages of the library."""

import math
from collections.abc import Mapping

from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.agents.arena.score import LANGUAGE, nature, role_name
from sobremesa.envs.core.game import Game

WORDS: dict[str, Mapping[str, str]] = {
    "en": {
        "title": "The ladder of {title}",
        "table": "{id}, {seats} seats; {deals:,} deals for each match, --seed {seed}",
        "search": "{search_deals:,} where somebody thinks ahead",
        "agent": "agent", "interval": "95 % interval",
        "ahead": "ahead of the next", "deals": "deals", "fixed": "fixed", "open": "no interval",
        "one": "one deal: no interval", "from": "from {}", "up": "up to {}", "range": "{} to {}",
        "seat": "seat {}", "everybody": "all", "ladder": "Ladder",
        "balance note": "Win rate at each seat over all matches, where every agent sits at every seat equally "
        "often. Dashed: fair.",
        "replays": "Deals between neighbours",
        "method": "How this was made",
        "no clock": "No agent plays by the clock.",
        "clock": "Agents in processes of their own have {limit:g} seconds for a move; what they do wrong forfeits the "
        "deal.",
        "forfeits": "Results that were forfeited: {who}.",
        "made by": "Made by {command} at commit {commit}, rules {rules}.",
    },
    "es": {
        "title": "La escalera de {title}",
        "table": "{id}, {seats} asientos; {deals:,} repartos por encuentro, --seed {seed}",
        "search": "{search_deals:,} donde alguien piensa por adelantado",
        "agent": "agente", "interval": "intervalo del 95 %",
        "ahead": "ventaja sobre el siguiente", "deals": "repartos", "fixed": "fijo", "open": "sin intervalo",
        "one": "un reparto: sin intervalo",
        "from": "desde {}", "up": "hasta {}", "range": "{} a {}", "seat": "asiento {}", "everybody": "todos",
        "ladder": "Escalera",
        "balance note": "Parte de la victoria en cada asiento a lo largo de todos los encuentros, en los que cada "
        "agente se sienta igual de a menudo en cada asiento. A trazos: lo justo.",
        "replays": "Repartos entre vecinos",
        "method": "Cómo se ha hecho",
        "no clock": "Nadie juega contra reloj.",
        "clock": "Los agentes con proceso propio tienen {limit:g} segundos por jugada; lo que hagan mal pierde el "
        "reparto.",
        "forfeits": "Resultados perdidos por faltas: {who}.",
        "made by": "Hecho con {command}, versión {commit}, reglas {rules}.",
    },
}  # fmt: skip


_BY_NATURE: dict[tuple[str, str], dict[str, str]] = {
    ("en", "competitive"): {
        "unit": "points",
        "balance": "Balance of the seats",
        "ladder note": "Points on an Elo-like scale: 200 more take 0.76 of the wins at a table of two. Bars are 95 % "
        "intervals; a bar that fades is open on that side, since no win was seen there. What an agent is ahead of the "
        "next one is seen from that one, whatever is open further down.",
        "matrix": "Win rate",
        "matrix note": "Each cell: one of the row's agent among copies of the column's. Fair is {fair:.3f}. Ratings "
        "hide that three may beat each other in a ring; this does not.",
        "search how": "Who thinks ahead met the others on the first {search_deals:,} of {deals:,} deals, alone among "
        "copies of each; a match weighs by its deals, and an empty cell is a match that was not played.",
        "how": "Order-free fit (Plackett and Luce; at tables of two Bradley and Terry) with a Gaussian prior of "
        "{prior:g} points around the anchors: {anchors}. Every deal is played in all cyclic seatings. Intervals: "
        "{resamples:,} bootstrap resamples over deals.",
    },
    ("en", "roles"): {
        "balance": "Balance of the roles",
    },
    ("en", "cooperative"): {
        "unit": "success",
        "ladder note": "Rate of success of teams of copies of one agent, on the same deals, with 95 % intervals.",
        "matrix": "Lead on the same deals",
        "matrix note": "Each cell: the row's rate of success minus the column's.",
        "search how": "Teams that think ahead played the first {search_deals:,} of {deals:,} deals: rates are over a "
        "team's own deals, leads over those that both had.",
        "how": "Teams meet the same deals; intervals are bootstrapped over deals.",
    },
    ("es", "competitive"): {
        "unit": "puntos",
        "balance": "Equilibrio de los asientos",
        "ladder note": "Puntos en una escala como la de Elo: 200 más se llevan 0.76 de las victorias en una mesa de "
        "dos. Las barras son intervalos del 95 %; la que se desvanece está abierta por ese lado, porque allí no se ha "
        "visto ninguna victoria. La ventaja sobre el siguiente se mide desde él, quede lo que quede abierto más abajo.",
        "matrix": "Parte de la victoria",
        "matrix note": "Cada casilla: uno de la fila entre copias del de la columna. Lo justo es {fair:.3f}. Los "
        "puntos esconden que tres pueden ganarse en círculo; esto no.",
        "search how": "Quien piensa por adelantado se midió con los demás en los primeros {search_deals:,} de "
        "{deals:,} repartos, solo entre copias de cada uno; un encuentro pesa según sus repartos, y una casilla vacía "
        "es un encuentro que no se jugó.",
        "how": "Ajuste que no depende del orden (Plackett y Luce; en mesas de dos, Bradley y Terry) con una "
        "distribución previa gaussiana de {prior:g} puntos en torno a las anclas: {anchors}. Cada reparto se juega con "
        "todos los giros de asientos. Intervalos: {resamples:,} remuestreos de los repartos.",
    },
    ("es", "roles"): {
        "balance": "Equilibrio de los papeles",
    },
    ("es", "cooperative"): {
        "unit": "éxito",
        "ladder note": "Éxito de equipos de copias de un agente, con los mismos repartos; intervalos del 95 %.",
        "matrix": "Ventaja con los mismos repartos",
        "matrix note": "Cada casilla: el éxito de la fila menos el de la columna.",
        "search how": "Los equipos que piensan por adelantado jugaron los primeros {search_deals:,} de {deals:,} "
        "repartos: el éxito es sobre los repartos de cada equipo; la ventaja, sobre los que jugaron ambos.",
        "how": "Los equipos juegan los mismos repartos; los intervalos remuestrean repartos.",
    },
}


def words_of(game: Game, language: str) -> dict[str, str]:
    """Return the texts for `game`: competitive, with roles, or cooperative."""
    return {**WORDS[language], **_BY_NATURE[language, "competitive"], **_BY_NATURE[language, nature(game).name]}


def interval(low: float, high: float, form: str, language: str) -> str:
    """Return an interval in words; an end may be open (infinite), and one deal has none (nan)."""
    words = WORDS[language]
    if math.isnan(low):
        return words["one"]
    if math.isinf(low):
        return words["open"] if math.isinf(high) else words["up"].format(format(high, form))
    if math.isinf(high):
        return words["from"].format(format(low, form))
    return words["range"].format(format(low, form), format(high, form))


def labels(game: Game, ladder: Leaderboard, language: str) -> dict[str, str]:
    """Return the names of the agents in `language`, with translated roles."""
    roles = nature(game).roles
    pairs = list(zip(roles.get(LANGUAGE, ()), roles.get(language, ()), strict=True))
    own = {role_name(agent, mine): role_name(agent, theirs) for agent in ladder.by_seat for mine, theirs in pairs}
    return {name: own.get(name, name) for name in ladder.agents}


def seat_labels(game: Game, ladder: Leaderboard, language: str) -> list[str]:
    """Return the names of the seats, or of the roles."""
    return list(nature(game).roles.get(language, ())) or [
        WORDS[language]["seat"].format(seat) for seat in range(len(ladder.seats))
    ]


def method(game: Game, ladder: Leaderboard, language: str, limit: float | None = None) -> list[str]:
    """Return sentences on the method; `limit` is the time limit of external agents in seconds, if any."""
    words = words_of(game, language)
    anchors = ", ".join(f"{name} {value:.0f}" for name, value in ladder.anchors.items())
    made = {"command": ladder.command, "commit": ladder.commit, "rules": ladder.rules_hash}
    clock = words["no clock"] if limit is None else words["clock"].format(limit=limit)
    lines = [f"{words['how'].format(prior=ladder.prior, anchors=anchors, resamples=ladder.resamples)} {clock}"]
    if ladder.search_deals is not None:
        lines.append(words["search how"].format(search_deals=ladder.search_deals, deals=ladder.deals))
    return [*lines, words["made by"].format(**made)]


def table_line(game: Game, ladder: Leaderboard, language: str) -> str:
    """Return one line with the setup and the deals, naming options that differ from the defaults."""
    own = {option.name: option.default for option in game.options}
    changed = [f"{name}={value}" for name, value in ladder.setup.items() if name != "seats" and value != own[name]]
    words, seats = WORDS[language], ladder.setup["seats"]
    line = words["table"].format(id=game.id, seats=seats, deals=ladder.deals, seed=ladder.seed)
    few = [words["search"].format(search_deals=ladder.search_deals)] if ladder.search_deals is not None else []
    return "; ".join([line, *few, *changed])
