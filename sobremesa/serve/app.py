"""The web app: pages, the WebSocket of each table, and the analyses of finished deals."""

import asyncio
import contextlib
import gzip
import secrets
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import ClientDisconnect, HTTPConnection, Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp
from starlette.websockets import WebSocket, WebSocketDisconnect

from sobremesa import envs
from sobremesa.agents.arena.blunders import costly
from sobremesa.envs.core.game import LANGUAGES, PUBLIC
from sobremesa.envs.core.sayings import TaleWords
from sobremesa.report import film, show, tale_page
from sobremesa.serve.answers import (
    PASSING,
    InvalidForm,
    failed,
    kind_of,
    language_of,
    left,
    missing,
    page,
    redirect,
    refused,
    unfit,
)
from sobremesa.serve.blunders import shown
from sobremesa.serve.chat import EMOTES, LONGEST
from sobremesa.serve.forms import LARGEST_REPLAY, content_of, file_of, form_of
from sobremesa.serve.frames import encode
from sobremesa.serve.guard import Guard, policy_of
from sobremesa.serve.limits import Limits, network_of
from sobremesa.serve.lobby import game_page, glossary, opening_of, opening_of_replay, picture
from sobremesa.serve.opponents import Opponents
from sobremesa.serve.ready import retrieve_error
from sobremesa.serve.store import StoreError
from sobremesa.serve.table import Opening, Refused, Table, continued, seat_link, turned
from sobremesa.serve.tables import Seating, Tables, new_seed
from sobremesa.serve.win_chances import course
from sobremesa.serve.wire import LATER, NEVER, Wire
from sobremesa.serve.words import REFUSALS, WORDS

LONGEST_PLY = 9  # digits
PATIENCE = 1.5  # seconds before the page "Preparing the game" is shown
MOST_PENDING = 200  # tables being opened; also the number of finished ones that are remembered
LONGEST_SEEN = 2000  # plies of a deal whose film has a view of every seat; deals of agents are shorter
_HERE = Path(__file__).parent


def make_app(tables: Tables, own: Sequence[str] = (), names: Sequence[str] = (), patience: float = PATIENCE) -> ASGIApp:
    """Return the app for `tables`, which also offers the agents `own` and accepts the host names `names`.

    A table that takes longer than `patience` seconds to open shows a waiting page.
    """
    tables.own = frozenset(own)
    handlers = _Handlers(tables, Opponents(own), patience)

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        watching = asyncio.create_task(tables.watch())
        yield
        watching.cancel()
        await tables.close()

    routes: list[Any] = [
        Route("/", handlers.lobby),
        Route("/favicon.ico", lambda _: Response(status_code=204)),
        Route("/game/{name}", handlers.game),
        Route("/picture/{name}.svg", handlers.picture),
        Route("/tables", handlers.open, methods=["POST"]),
        Route("/replays", handlers.open_replay, methods=["POST"]),
        Route("/opening/{token}", handlers.opening),
        Route("/watch/{token}/tale", handlers.tale),
        Mount("/static", StaticFiles(directory=_HERE / "static")),
        Mount("/player", StaticFiles(directory=film.PLAYER)),
        WebSocketRoute("/wire/{token}", handlers.wire),
    ]
    for place in ("/seat", "/watch"):
        routes += [
            Route(f"{place}/{{token}}", handlers.table),
            Route(f"{place}/{{token}}/replay.json", handlers.replay),
            Route(f"{place}/{{token}}/film", handlers.film),
            Route(f"{place}/{{token}}/course.json", handlers.course),
            Route(f"{place}/{{token}}/costly.json", handlers.costly),
            Route(f"{place}/{{token}}/brief.json", handlers.brief),
            Route(f"{place}/{{token}}/next", handlers.next, methods=["POST"]),
            Route(f"{place}/{{token}}/again", handlers.again, methods=["POST"]),
        ]
    errors: dict[Any, Any] = {Refused: refused, StoreError: refused, OSError: refused}
    errors |= {ClientDisconnect: left, 404: missing, InvalidForm: unfit, Exception: failed}
    app = Starlette(
        routes=routes, lifespan=lifespan, exception_handlers=errors, middleware=[Middleware(GZipMiddleware)]
    )
    return Guard(app, [name.lower() for name in names if name])  # as browsers write them


class _Handlers:
    """The request handlers."""

    def __init__(self, tables: Tables, opponents: Opponents, patience: float) -> None:
        self._tables, self._opponents, self._patience = tables, opponents, patience
        self._limits = Limits()
        self._opening: OrderedDict[str, asyncio.Task[str]] = OrderedDict()

    async def lobby(self, request: Request) -> Response:
        """Show all games."""
        language = language_of(request)
        loaded = [envs.load(name) for name in envs.games()]
        games = [await self._tables.work(game_page, game, self._opponents, language) for game in loaded]
        return page(request, "lobby", games=games)

    async def game(self, request: Request) -> Response:
        """Show one game with its rules and the form for a table."""
        language, name = language_of(request), request.path_params["name"]
        if name not in envs.games():
            raise Refused("no table")
        game = envs.load(name)
        self._tables.ready.begin(name)
        shown = await self._tables.work(game_page, game, self._opponents, language)
        return page(request, "game", game=shown)

    async def picture(self, request: Request) -> Response:
        """Return the picture of a game."""
        name = request.path_params["name"]
        if name not in envs.games():
            raise Refused("no table")
        drawn = await self._tables.study(picture, name, language_of(request))
        return Response(drawn, media_type="image/svg+xml", headers={"Cache-Control": "max-age=3600"})

    async def open(self, request: Request) -> Response:
        """Open the table of a submitted form and redirect to the sender's seat."""
        form = await self._form(request)
        return await self._redirect_or_wait(request, self._opened(request, form))

    async def _opened(self, request: Request, form: dict[str, str]) -> str:
        """Return the path of the seat of the person who sent the form."""
        await self._tables.ready.of(form.get("game", ""))
        try:
            opening = await self._tables.work(opening_of, form, self._opponents)
            table = await self._open(request, opening)
        except (ValueError, TypeError) as error:
            if isinstance(error, (Refused, StoreError)):
                raise
            raise InvalidForm("form", error) from None
        return seat_link(opening.host, table.tokens[opening.host])

    async def open_replay(self, request: Request) -> Response:
        """Open the table of an uploaded replay and redirect to its page."""
        self._limits.form(request)
        content = await content_of(request, LARGEST_REPLAY)
        file = file_of(request.headers.get("content-type", ""), content)
        return await self._redirect_or_wait(request, self._replayed(request, file))

    async def _replayed(self, request: Request, file: bytes) -> str:
        try:
            table = await self._open(request, await self._tables.study(opening_of_replay, file))
        except ValueError as error:
            if isinstance(error, (Refused, StoreError)):
                raise
            raise InvalidForm("replay", error) from None
        return seat_link(PUBLIC, table.tokens[PUBLIC])

    async def _redirect_or_wait(self, request: Request, path: Coroutine[Any, Any, str]) -> Response:
        """Redirect to the path, or to a waiting page if it takes long."""
        opening = asyncio.create_task(path)
        opening.add_done_callback(retrieve_error)
        if (await asyncio.wait([opening], timeout=self._patience))[0]:
            return redirect(request, opening.result())
        for old in [one for one, task in self._opening.items() if task.done()][:-MOST_PENDING]:
            del self._opening[old]
        if sum(not task.done() for task in self._opening.values()) >= MOST_PENDING:
            opening.cancel()
            raise Refused("full")
        token = secrets.token_urlsafe(18)
        self._opening[token] = opening
        return redirect(request, f"/opening/{token}")

    async def opening(self, request: Request) -> Response:
        """Return the answer to a slow form, or the waiting page."""
        opening = self._opening.get(request.path_params["token"])
        if opening is None:
            raise Refused("no table")
        if not (await asyncio.wait([opening], timeout=self._patience))[0]:
            return page(request, "preparing", 202)
        return redirect(request, opening.result())

    async def table(self, request: Request) -> Response:
        """Show the page of a seat or of onlookers; frames arrive through the WebSocket."""
        language = language_of(request)
        game = await self._tables.work(self._tables.game_of, request.path_params["token"])
        if not (await asyncio.wait([self._tables.ready.begin(game)], timeout=self._patience))[0]:
            return page(request, "preparing", 202)
        seating, seat = await self._find(request)
        return page(
            request,
            "table",
            title=seating.table.game.words.title[language],
            guided=seating.table.opening.guided and seat == seating.table.opening.host,
            token=request.path_params["token"],
            name=seating.table.game.name,
            terms=await self._tables.work(glossary, seating.table.game, language),
            looks_on=seat == PUBLIC,
            public=seating.table.game.words.public,
            tells=isinstance(seating.table.game.words, TaleWords),
            emotes=EMOTES,
            longest_line=LONGEST,
        )

    async def wire(self, socket: WebSocket) -> None:
        """Serve the WebSocket of a page."""
        language = language_of(socket)
        with contextlib.suppress(WebSocketDisconnect):
            try:
                await socket.accept()
            except OSError:  # the client has left
                return
            try:
                with self._limits.socket(socket):
                    seating, seat = await self._find(socket)
                    await Wire(socket, self._tables, self._limits, seating, seat, language).run()
            except (Refused, StoreError) as error:
                kind = kind_of(error)
                refusal = {"what": "refused", "kind": kind, "why": REFUSALS[language][kind]}
                await socket.send_text(encode(refusal).decode())
                await socket.close(LATER if kind in PASSING else NEVER)

    async def replay(self, request: Request) -> Response:
        """Return the replay of a finished deal."""
        seating, _ = await self._find(request)
        content = await self._tables.work(self._tables.replay, _over(seating))
        name = f"{seating.table.game.name}-{seating.table.name}.json"
        headers = {"Content-Disposition": f'attachment; filename="{name}"'}
        return Response(content, media_type="application/json", headers=headers)

    async def film(self, request: Request) -> Response:
        """Show the film of a finished deal, from any seat."""
        table, language = _over((await self._find(request))[0]), language_of(request)
        narrow = request.query_params.get("narrow") == "1"  # a phone's window
        kept = await self._tables.studies.of((table.name, "film", language, narrow), _film, table, language, narrow)
        policy, _, page = kept.partition(b"\n")
        headers = {"Content-Security-Policy": policy.decode(), "Vary": "Accept-Encoding"}
        if "gzip" in request.headers.get("accept-encoding", ""):
            headers["Content-Encoding"] = "gzip"
        else:
            page = await self._tables.study(gzip.decompress, page)
        return HTMLResponse(page, headers=headers)

    async def tale(self, request: Request) -> Response:
        """Show the tale of a finished deal as a page for reading and printing."""
        table, language = _over((await self._find(request))[0]), language_of(request)
        if not isinstance(table.game.words, TaleWords):
            raise Refused("no table")
        kept = await self._tables.studies.of((table.name, "tale", language), _tale, table, language)
        return HTMLResponse(kept, headers={"Content-Security-Policy": policy_of(kept.decode())})

    async def course(self, request: Request) -> Response:
        """Return the win chances along a finished deal."""
        return await self._study(request, "course", _course)

    async def costly(self, request: Request) -> Response:
        """Return the blunder report of a finished deal."""
        return await self._study(request, "costly", _costly)

    async def _study(self, request: Request, what: str, call: Callable[[Table], bytes]) -> Response:
        table = _over((await self._find(request))[0])
        found = await self._tables.studies.of((table.name, what), call, table)
        return Response(found, media_type="application/json")

    async def brief(self, request: Request) -> Response:
        """Return the title, the players and the turn of a deal for the lobby; no game is prepared for it."""
        found = await self._tables.work(self._tables.brief, request.path_params["token"], language_of(request))
        return Response(encode(found), media_type="application/json")

    async def next(self, request: Request) -> Response:
        """Open the next deal of the same players, once, and redirect to the sender's seat.

        It is the same deal with rotated seats or, for a form with the field `new`, another one.
        """
        form = await self._form(request)
        seating, seat = await self._find(request)
        table = _over(seating)
        seed = new_seed() if "new" in form else table.opening.seed

        def follow() -> str:
            opening = turned(table.opening, table.players, seed)
            return table.follow(lambda: self._tables.open(opening, network_of(request)).name)

        if seat == PUBLIC and not table.next:
            raise Refused("looks on")
        if not table.next:
            self._limits.table(request)
        await self._tables.work(follow)
        self._tables.changed(seating)
        return redirect(request, table.next_links[seat])

    async def again(self, request: Request) -> Response:
        """Open a table that continues a finished deal from a ply, against agents.

        The sender keeps the own seat. Onlookers, and forms with the field `asked`, take the seat that was to act.
        """
        seating, seat = await self._find(request)
        table = _over(seating)
        form = await self._form(request)
        ply = form.get("ply", "")
        if not ply.isdecimal() or len(ply) > LONGEST_PLY or int(ply) >= len(table.deal.plies):
            raise InvalidForm("form", f"{ply[:20]!r}")
        mine = table.deal.plies[int(ply)].seat if seat == PUBLIC or "asked" in form else seat
        fair = await self._tables.work(self._opponents.fair, table.game)
        others = dict.fromkeys(table.people, self._opponents.seat(table.game, fair))
        name = "" if seat == PUBLIC else table.players[seat].name
        opening = continued(table.opening, table.deal.plies[: int(ply)], mine, name, others)
        table = await self._open(request, opening)
        return redirect(request, seat_link(mine, table.tokens[mine]))

    async def _form(self, request: Request) -> dict[str, str]:
        self._limits.form(request)
        return await form_of(request)

    async def _open(self, request: Request, opening: Opening) -> Table:
        self._limits.table(request)
        return await self._tables.work(self._tables.open, opening, network_of(request))

    async def _find(self, connection: HTTPConnection) -> tuple[Seating, int]:
        token = connection.path_params["token"]
        await self._tables.ready.of(await self._tables.work(self._tables.game_of, token))
        return await self._tables.work(self._tables.find, token)


def _over(seating: Seating) -> Table:
    if not seating.table.deal.over:
        raise Refused("hidden")
    return seating.table


def _course(table: Table) -> bytes:
    return encode(course(table.game, list(table.deal.whole()), table.opening.seed))


def _costly(table: Table) -> bytes:
    """Return the blunder report of the people at the table, or of the agents if no person played."""
    seats = table.people or range(len(table.players))
    plies = list(table.deal.whole())
    found = costly(table.game, plies, seats, table.opening.seed)
    return encode({"decisions": shown(table.game, found, plies)})


def _tale(table: Table, language: str) -> bytes:
    """Return the page of the tale of a finished deal, with links to the other language and to the deal."""
    words, other = WORDS[language], next(one for one in LANGUAGES if one != language)
    links = [
        (f"?language={other}", words["language"]),
        (f"../{table.tokens[PUBLIC]}?language={language}", words["the deal"]),
    ]
    plies, names = list(table.deal.whole()), table.names(language)
    return tale_page.page(table.game, plies, names, language, links).encode()


def _film(table: Table, language: str, narrow: bool) -> bytes:
    """Return the film of a finished deal: its Content-Security-Policy, a newline, and the page (gzipped HTML).

    It shows the true state and the view of each seat. Very long deals have no views of seats: such a page would have
    hundreds of megabytes.
    """
    game, plies, names = table.game, list(table.deal.whole()), table.names(language)
    viewers = [None, *range(len(names))] if game.hidden and len(plies) <= LONGEST_SEEN else [None]
    sights = [show.sight(game, plies, names, one, language, narrow=narrow) for one in viewers]
    title = f"{game.words.title[language]}: {show.seating(game, names, language)}"
    page = film.page(title, sights, language, up=WORDS[language]["the table"])
    return policy_of(page).encode() + b"\n" + gzip.compress(page.encode())
