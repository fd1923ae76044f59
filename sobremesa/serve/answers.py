"""Answers of the web app: pages in the reader's language, redirections, and the pages of refusals and errors."""

import logging
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response

from sobremesa.envs.core.game import LANGUAGES
from sobremesa.serve.table import Refused
from sobremesa.serve.words import REFUSALS, WORDS

_LOG = logging.getLogger("sobremesa.serve")
_PAGES = Environment(
    loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, undefined=StrictUndefined,
    trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
)  # fmt: skip


class InvalidForm(ValueError):
    """An invalid form: the key of its text in words.REFUSALS, and the reason."""

    def __init__(self, kind: str, why: object) -> None:
        super().__init__(str(why))
        self.kind = kind


def redirect(request: HTTPConnection, path: str) -> Response:
    """Redirect to the page at `path` of this server, by an address that is valid below any prefix of a proxy."""
    return RedirectResponse(f"{root(request)}{path.removeprefix('/')}?language={language_of(request)}", 303)


def root(request: HTTPConnection) -> str:
    """Return the relative address of the lobby from the page of the request."""
    path = request.scope.get("raw_path") or request.scope["path"].encode()
    return "../" * (path.count(b"/") - 1) or "./"


def language_of(request: HTTPConnection) -> str:
    """Return the language in the address, or else the preference of the browser."""
    asked = request.query_params.get("language", request.headers.get("accept-language", "")[:2].lower())
    return asked if asked in LANGUAGES else LANGUAGES[0]


def page(request: HTTPConnection, template: str, code: int = 200, **values: Any) -> Response:
    """Return a page of a template in the language of the request."""
    language = language_of(request)
    other = next(one for one in LANGUAGES if one != language)
    common = {"language": language, "other": other, "words": WORDS[language], "root": root(request)}
    return HTMLResponse(_PAGES.get_template(f"{template}.html.j2").render(common | values), code)


def problem(request: HTTPConnection, why: str, code: int) -> Response:
    """Return the page that states a problem."""
    return page(request, "problem", code, why=why)


_CODES = dict.fromkeys(("hidden", "not over", "looks on"), 403)
_CODES |= {"no table": 404, "closed": 410, "large": 413}
_CODES |= {"failed": 500} | dict.fromkeys(("full", "not ready", "store"), 503)
_CODES |= dict.fromkeys(("many forms", "many tables"), 429)


PASSING = ("many sockets", "connections", "store")  # refusals after which a page reconnects


def kind_of(error: Exception) -> str:
    """Return the key of words.REFUSALS for an error; log errors of the store and the disk."""
    if isinstance(error, Refused):
        return str(error)
    _LOG.error("%s", error)
    return "store"


def refused(request: HTTPConnection, error: Exception) -> Response:
    """Return the page of a refusal, or of an error of the store or the disk."""
    kind = kind_of(error)
    return problem(request, REFUSALS[language_of(request)][kind], _CODES.get(kind, 400))


def unfit(request: HTTPConnection, error: Exception) -> Response:
    """Return the page of an invalid form."""
    assert isinstance(error, InvalidForm)
    return problem(request, REFUSALS[language_of(request)][error.kind].format(error), 400)


def failed(request: HTTPConnection, _: Exception) -> Response:
    """Return the page of an unexpected error."""
    return refused(request, Refused("failed"))  # the caller logs the error


def left(_: HTTPConnection, __: Exception) -> Response:
    """Return the answer to an incomplete request."""
    return Response(status_code=400)  # the client has left and does not read it


def missing(request: HTTPConnection, _: Exception) -> Response:
    """Return the page for an unknown path."""
    return refused(request, Refused("no table"))
