"""Contents of submitted forms and uploaded files."""

import re
from urllib.parse import parse_qsl

from starlette.requests import Request

from sobremesa.serve.table import Refused

LARGEST_FORM = 16_384  # bytes; the longest form has about 1,600
LARGEST_REPLAY = 2**18  # bytes; the longest replays have about half
_CUT = re.compile(r'multipart/form-data; *boundary="?(?P<by>[\w\'()+,./:=?-]{1,70})"?', re.ASCII)  # as browsers send it


async def form_of(request: Request) -> dict[str, str]:
    """Return the fields of a form; raise Refused if it is too large or malformed."""
    content = await content_of(request, LARGEST_FORM)
    try:
        return dict(parse_qsl(content.decode(), keep_blank_values=True, max_num_fields=100))
    except ValueError:
        raise Refused("message") from None


async def content_of(request: Request, most: int) -> bytes:
    """Return the body of a request; raise Refused if it has more than `most` bytes."""
    content = bytearray()
    async for part in request.stream():
        content += part
        if len(content) > most:
            raise Refused("large")
    return bytes(content)


def file_of(kind: str, content: bytes) -> bytes:
    """Return the single file in `content`, a form of the media type `kind` (multipart/form-data).

    This parser reads only that case: general parsers can take seconds on hostile input.
    """
    cut = _CUT.fullmatch(kind)
    between = b"\r\n--" + cut["by"].encode() if cut else b""
    head, _, rest = content.partition(b"\r\n\r\n")
    file, *behind = rest.split(between) if cut else [b""]
    if len(behind) != 1 or not head.startswith(between[2:] + b"\r\n") or not behind[0].startswith(b"--"):
        raise Refused("message")
    return file
