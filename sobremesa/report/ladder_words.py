"""Texts of the ladder in all languages of the library."""

import math
from collections.abc import Mapping

from sobremesa.agents.arena.leaderboard import Leaderboard
from sobremesa.agents.arena.score import LANGUAGE, nature, role_name
from sobremesa.agents.arena.shutouts import shutouts
from sobremesa.envs.core.game import Game

WORDS: dict[str, Mapping[str, str]] = {
    "en": {
        "title": "The ladder of {title}",
        "table": "{id}, {seats} seats; {deals:,} deals for each match, --seed {seed}",
        "search": "{search_deals:,} in matches of a searching agent",
        "agent": "agent", "interval": "95 % interval",
        "ahead": "ahead of the next", "deals": "deals", "fixed": "fixed", "open": "no interval",
        "one": "one deal: no interval", "from": "from {}", "up": "up to {}", "range": "{} to {}",
        "seat": "seat {}", "everybody": "all", "ladder": "Ladder",
        "balance note": "Win rate at each seat over all matches; every agent plays every seat equally often. "
        "Dashed: equal play.",
        "replays": "Deals between neighbours on the ladder",
        "method": "Method",
        "no clock": "No agent has a time limit.",
        "clock": "External agents have {limit:g} seconds for a move; an error, an illegal move or a timeout forfeits "
        "the deal.",
        "forfeits": "Forfeited results: {who}.",
        "shut out": "{agent} wins {value:.3f} among copies of {among}, and the ratings expect {expected:.3f}: watch a "
        "deal, because {among} may have an action that blocks it.",
        "too long": "Deals that reached the limit of the game's length: most of {agent} among copies of {among}, "
        "{share:.1%}.",
        "made by": "Made by {command} at commit {commit}, rules {rules}.",
    },
    "es": {
        "title": "La escalera de {title}",
        "table": "{id}, {seats} asientos; {deals:,} repartos por encuentro, --seed {seed}",
        "search": "{search_deals:,} en los encuentros de un agente con búsqueda",
        "agent": "agente", "interval": "intervalo del 95 %",
        "ahead": "ventaja sobre el siguiente", "deals": "repartos", "fixed": "fijo", "open": "sin intervalo",
        "one": "un reparto: sin intervalo",
        "from": "desde {}", "up": "hasta {}", "range": "{} a {}", "seat": "asiento {}", "everybody": "todos",
        "ladder": "Escalera",
        "balance note": "Parte de la victoria en cada asiento en todos los encuentros; cada agente juega lo mismo en "
        "cada asiento. A trazos: juego igualado.",
        "replays": "Repartos entre vecinos de la escalera",
        "method": "Método",
        "no clock": "Ningún agente tiene límite de tiempo.",
        "clock": "Los agentes externos tienen {limit:g} segundos por jugada; un error, una jugada ilegal o una "
        "demora pierde el reparto.",
        "forfeits": "Resultados perdidos por faltas: {who}.",
        "shut out": "{agent} gana {value:.3f} entre copias de {among}, y los puntos esperan {expected:.3f}: mira un "
        "reparto, porque quizá {among} tenga una acción que lo bloquea.",
        "too long": "Repartos que llegaron al límite de duración del juego: los que más, los de {agent} entre copias "
        "de {among}, el {share:.1%}.",
        "made by": "Hecho con {command}, versión {commit}, reglas {rules}.",
    },
}  # fmt: skip


_BY_NATURE: dict[tuple[str, str], dict[str, str]] = {
    ("en", "competitive"): {
        "unit": "points",
        "balance": "Balance of the seats",
        "ladder note": "Points on an Elo-like scale: at a table of two, 200 more points give a win rate of 0.76. Bars "
        "are 95 % intervals. A bar that fades is open on that side, because the matches have no win there. The lead "
        "over the next agent is measured from that agent, so open intervals further down do not affect it.",
        "matrix": "Mean win rate of pairs",
        "weighs": "A win rate is the mean over its deals, which all weigh the same. A rating is fitted to all deals of "
        "all agents and weighs the strength of the opponents and every place at a table. So the two may disagree.",
        "matrix note": "Each cell: one agent of the row among copies of the agent of the column. Equal play is "
        "{fair:.3f}. If three agents beat each other in a ring, this table shows it; ratings do not.",
        "search how": "Each searching agent played the first {search_deals:,} of {deals:,} deals, alone among copies "
        "of each other agent. A match weighs by its deals. An empty cell is a match that was not played.",
        "how": "Order-free fit (Plackett and Luce; at tables of two Bradley and Terry) with a Gaussian prior of "
        "{prior:g} points around the anchors: {anchors}. Every deal is played in all cyclic seatings. Intervals: "
        "{resamples:,} bootstrap resamples over deals.",
    },
    ("en", "roles"): {
        "balance": "Balance of the roles",
    },
    ("en", "cooperative"): {
        "unit": "success",
        "ladder note": "Rate of success of teams of copies of one agent on the same deals, with 95 % intervals.",
        "matrix": "Lead on the same deals",
        "matrix note": "Each cell: the row's rate of success minus the column's.",
        "search how": "Searching teams played the first {search_deals:,} of {deals:,} deals. A rate is over all deals "
        "of the team, a lead over the deals that both teams played.",
        "how": "All teams play the same deals; intervals are bootstrapped over deals.",
    },
    ("es", "competitive"): {
        "unit": "puntos",
        "balance": "Equilibrio de los asientos",
        "ladder note": "Puntos en una escala como la de Elo: en una mesa de dos, 200 puntos más dan 0.76 de las "
        "victorias. Las barras son intervalos del 95 %. Una barra que se desvanece está abierta por ese lado, porque "
        "allí no hay ninguna victoria. La ventaja sobre el siguiente se mide desde él; los intervalos abiertos más "
        "abajo no la cambian.",
        "matrix": "Parte media de la victoria por parejas",
        "weighs": "La parte de la victoria es la media de sus repartos, que pesan todos lo mismo. Los puntos se "
        "ajustan a todos los repartos de todos los agentes y pesan la fuerza de los rivales y cada puesto en la mesa. "
        "Por eso pueden no coincidir.",
        "matrix note": "Cada casilla: un agente de la fila entre copias del agente de la columna. El juego igualado es "
        "{fair:.3f}. Si tres agentes se ganan en círculo, esta tabla lo muestra; los puntos no.",
        "search how": "Cada agente con búsqueda jugó los primeros {search_deals:,} de {deals:,} repartos, solo entre "
        "copias de cada uno de los demás. Un encuentro pesa según sus repartos. Una casilla vacía es un encuentro que "
        "no se jugó.",
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
        "search how": "Los equipos con búsqueda jugaron los primeros {search_deals:,} de {deals:,} repartos. El éxito "
        "es sobre todos los repartos del equipo; la ventaja, sobre los que jugaron ambos.",
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


def notes(game: Game, ladder: Leaderboard, language: str) -> list[str]:
    """Return a sentence for each shutout, and one for the cell with most deals that were too long."""
    words, names = WORDS[language], labels(game, ladder, language)
    found = [
        words["shut out"].format(**one._asdict() | {"agent": names[one.agent], "among": names[one.among]})
        for one in shutouts(ladder)
    ]
    cells = {
        (agent, among): ladder.too_long[row][column]
        for row, agent in enumerate(ladder.agents if ladder.too_long else ())
        for column, among in enumerate(ladder.agents)
        if ladder.too_long[row][column] > 0
    }
    if cells:
        agent, among = max(cells, key=cells.__getitem__)
        found.append(words["too long"].format(agent=names[agent], among=names[among], share=cells[agent, among]))
    return found


def table_line(game: Game, ladder: Leaderboard, language: str) -> str:
    """Return one line with the setup and the deals, naming options that differ from the defaults."""
    own = {option.name: option.default for option in game.options}
    changed = [f"{name}={value}" for name, value in ladder.setup.items() if name != "seats" and value != own[name]]
    words, seats = WORDS[language], ladder.setup["seats"]
    line = words["table"].format(id=game.id, seats=seats, deals=ladder.deals, seed=ladder.seed)
    few = [words["search"].format(search_deals=ladder.search_deals)] if ladder.search_deals is not None else []
    return "; ".join([line, *few, *changed])
