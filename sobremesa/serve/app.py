"""The server: pages, the socket of each table, and what can be had of a deal that is over."""

import contextlib
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket

from sobremesa import envs
from sobremesa.envs.core.game import LANGUAGES
from sobremesa.report import film, show
from sobremesa.serve.course import course
from sobremesa.serve.deal import PUBLIC
from sobremesa.serve.frames import encode
from sobremesa.serve.guard import Guard, policy_of
from sobremesa.serve.lobby import opening_of, picture, told_of
from sobremesa.serve.opponents import Opponents
from sobremesa.serve.table import BOT, Refused, Seated, Table, going_on, seat_link, turned
from sobremesa.serve.tables import Seating, Tables
from sobremesa.serve.wire import Wire
from sobremesa.serve.words import REFUSALS, WORDS

LARGEST_FORM = 16_384  # bytes; the longest form has a tenth of it
LONGEST_PLY = 9  # digits
_HERE = Path(__file__).parent
_PAGES = Environment(
    loader=FileSystemLoader(_HERE / "templates"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
    lstrip_blocks=True, keep_trailing_newline=True,
)  # fmt: skip


def make_app(tables: Tables, own: Sequence[str] = (), names: Sequence[str] = ()) -> ASGIApp:
    """Return the app over `tables`, which offers the `own` agents too and goes by `names` beside its addresses."""
    house = _House(tables, Opponents(own))

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        await tables.close()

    routes: list[Any] = [
        Route("/", house.lobby),
        Route("/favicon.ico", lambda _: Response(status_code=204)),
        Route("/game/{name}", house.game),
        Route("/picture/{name}.svg", house.picture),
        Route("/tables", house.open, methods=["POST"]),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
        WebSocketRoute("/wire/{token}", house.wire),
    ]
    for place in ("/seat", "/watch"):
        routes += [
            Route(f"{place}/{{token}}", house.table),
            Route(f"{place}/{{token}}/replay.json", house.replay),
            Route(f"{place}/{{token}}/film", house.film),
            Route(f"{place}/{{token}}/course.json", house.course),
            Route(f"{place}/{{token}}/next", house.next, methods=["POST"]),
            Route(f"{place}/{{token}}/again", house.again, methods=["POST"]),
        ]
    handlers: dict[Any, Any] = {Refused: _refused, 404: _missing}
    app = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers=handlers, middleware=[Middleware(GZipMiddleware)]
    )
    return Guard(app, [name.lower() for name in names if name])  # as browsers write them


class _House:
    """The answers to requests; each takes a Starlette request."""

    def __init__(self, tables: Tables, opponents: Opponents) -> None:
        self._tables, self._opponents = tables, opponents

    async def lobby(self, request: Request) -> Response:
        """Show all games."""
        language = _language(request)
        loaded = [envs.load(name) for name in envs.games()]
        games = [await self._tables.work(told_of, game, self._opponents, language) for game in loaded]
        return _page("lobby", language, games=games)

    async def game(self, request: Request) -> Response:
        """Show one game with its rules, and the form for a table of it."""
        language, name = _language(request), request.path_params["name"]
        if name not in envs.games():
            raise Refused("no table")
        game = envs.load(name)
        told = await self._tables.work(told_of, game, self._opponents, language)
        return _page("game", language, game=told)

    async def picture(self, request: Request) -> Response:
        """Give the picture of a game."""
        name = request.path_params["name"]
        if name not in envs.games():
            raise Refused("no table")
        drawn = await self._tables.study(picture, name, _language(request))
        return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})

    async def open(self, request: Request) -> Response:
        """Open the table that a form asks for and lead to one's seat there."""
        form, language = await _form(request), _language(request)
        try:
            opening = await self._tables.work(opening_of, form, self._opponents, language)
            table = await self._tables.work(self._tables.open, opening)
        except (ValueError, TypeError) as error:
            if isinstance(error, Refused):
                raise
            return _problem(language, REFUSALS[language]["form"].format(error), 400)
        return _to(table, opening.host, language)

    async def table(self, request: Request) -> Response:
        """Show the page of a seat, or of those who look on; the frames come by the socket."""
        seating, seat = await self._find(request)
        language = _language(request)
        return _page(
            "table",
            language,
            title=seating.table.game.words.title[language],
            token=request.path_params["token"],
            looks_on=seat == PUBLIC,
            secret=seating.table.secret_turns,
        )

    async def wire(self, socket: WebSocket) -> None:
        """Serve the socket of a page."""
        language = _language(socket)
        await socket.accept()
        try:
            seating, seat = await self._find(socket)
        except Refused as refused:
            why = {"what": "refused", "kind": str(refused), "why": REFUSALS[language][str(refused)]}
            await socket.send_text(encode(why).decode())
            await socket.close(1008)
            return
        await Wire(socket, self._tables, seating, seat, language).run()

    async def replay(self, request: Request) -> Response:
        """Give the replay of a deal that is over."""
        seating, _ = await self._find(request)
        file = await self._tables.work(self._tables.keep, _over(seating))
        name = f"{seating.table.game.name}-{seating.table.name}.json"
        return FileResponse(file, media_type="application/json", filename=name)

    async def film(self, request: Request) -> Response:
        """Show a deal that is over, through any eyes."""
        seating, _ = await self._find(request)
        page = await self._tables.study(_film, _over(seating), _language(request))
        return HTMLResponse(page, headers={"Content-Security-Policy": policy_of(page)})

    async def course(self, request: Request) -> Response:
        """Give the course of a deal that is over."""
        seating, _ = await self._find(request)
        table = _over(seating)
        async with seating.studying:  # at the end of a deal all of its pages ask
            if seating.course is None:
                seating.course = await self._tables.study(course, table.game, table.deal.whole(), table.opening.seed)
        return JSONResponse(seating.course)

    async def next(self, request: Request) -> Response:
        """Open the same deal with seats turned, once, and lead to one's seat there."""
        seating, seat = await self._find(request)
        table = _over(seating)

        def follow() -> str:
            return table.follow(lambda: self._tables.open(turned(table.opening, table.names)).name)

        if seat == PUBLIC and not table.next:
            raise Refused("looks on")
        await self._tables.work(follow)
        self._tables.changed(seating)
        return RedirectResponse(f"{table.next_links[seat]}?language={_language(request)}", 303)

    async def again(self, request: Request) -> Response:
        """Open a table that goes on from a ply of a deal that is over, against agents."""
        seating, seat = await self._find(request)
        table, language = _over(seating), _language(request)
        ply = (await _form(request)).get("ply", "")
        if not ply.isdecimal() or len(ply) > LONGEST_PLY or int(ply) >= len(table.deal.plies):
            return _problem(language, REFUSALS[language]["form"].format(f"{ply[:20]!r}"), 400)
        mine = table.deal.plies[int(ply)].seat if seat == PUBLIC else seat
        fair = await self._tables.work(self._opponents.fair, table.game)
        others = {one: Seated(BOT, fair, fair) for one in table.people if one != mine}
        opening = going_on(table.opening, table.names, table.deal.actions[: int(ply)], mine, others)
        opened = await self._tables.work(self._tables.open, opening)
        return _to(opened, mine, language)

    async def _find(self, connection: HTTPConnection) -> tuple[Seating, int]:
        return await self._tables.work(self._tables.find, connection.path_params["token"])


def _over(seating: Seating) -> Table:
    if not seating.table.deal.over:
        raise Refused("hidden")
    return seating.table


def _film(table: Table, language: str) -> str:
    """Return the film of a deal that is over (HTML): the open table, and the eyes of each seat."""
    game, plies, names = table.game, table.deal.whole(), table.names
    eyes = [None, *range(len(names))] if game.hidden else [None]
    sights = [show.sight(game, plies, names, one, language) for one in eyes]
    return film.page(f"{game.words.title[language]}: {show.seating(game, names, language)}", sights, language)


def _to(table: Table, seat: int, language: str) -> Response:
    return RedirectResponse(f"{seat_link(seat, table.tokens[seat])}?language={language}", 303)


def _language(request: HTTPConnection) -> str:
    """Return the language that the address names, or else the one that the browser asks for."""
    asked = request.query_params.get("language", request.headers.get("accept-language", "")[:2].lower())
    return asked if asked in LANGUAGES else LANGUAGES[0]


async def _form(request: Request) -> dict[str, str]:
    """Return the fields of a form; raise Refused if it is too large or none."""
    content = b""
    async for part in request.stream():
        content += part
        if len(content) > LARGEST_FORM:
            raise Refused("large")
    try:
        return dict(parse_qsl(content.decode(), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise Refused("message") from None


def _page(template: str, language: str, code: int = 200, **values: Any) -> Response:
    other = next(one for one in LANGUAGES if one != language)
    words = WORDS[language]
    return HTMLResponse(
        _PAGES.get_template(f"{template}.html.j2").render(language=language, other=other, words=words, **values), code
    )


def _problem(language: str, why: str, code: int) -> Response:
    return _page("problem", language, code, why=why)


_CODES = {"no table": 404, "full": 503, "hidden": 403, "not over": 403, "looks on": 403, "large": 413}


def _refused(request: HTTPConnection, refused: Exception) -> Response:
    language = _language(request)
    return _problem(language, REFUSALS[language][str(refused)], _CODES.get(str(refused), 400))


def _missing(request: HTTPConnection, _: Exception) -> Response:
    return _refused(request, Refused("no table"))
