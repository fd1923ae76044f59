"""HTTP clients for an endpoint, with the proxy and the certificates that the environment names.

Only variables that matter for a URL are read, and an error names the variable. Requests to this machine use no proxy,
and requests without encryption need no certificates.
"""

import os
import re
import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.util import find_spec
from ipaddress import ip_address, ip_network
from urllib.request import getproxies, proxy_bypass

from sobremesa.envs.core.errors import file_error

try:
    import httpx2
except ImportError:
    httpx2 = None  # type: ignore[assignment]

_FILE, _FOLDER = "SSL_CERT_FILE", "SSL_CERT_DIR"


def client(url: str, timeout: float) -> "httpx2.Client":
    """Return a client for `url`, with `timeout` in seconds; raise ValueError for a variable that cannot be used."""
    proxy = _proxy(url)
    encrypted = url.startswith("https://") or (proxy is not None and proxy.url.scheme == "https")
    certificates = _certificates() if encrypted else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if proxy is not None and proxy.url.scheme == "https":
        proxy.ssl_context = certificates
    return httpx2.Client(
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),  # requests are stateless
        limits=httpx2.Limits(max_keepalive_connections=0),  # a connection for each request, which can be closed
        timeout=timeout, follow_redirects=False, trust_env=False, verify=certificates, proxy=proxy,
    )  # fmt: skip


def is_local(url: str) -> bool:
    """Return whether `url` leads to this machine."""
    host = httpx2.URL(url).host
    try:
        address = ip_address(host)
    except ValueError:
        return host == "localhost"
    return address.is_loopback or address.is_unspecified


def _proxy(url: str) -> "httpx2.Proxy | None":
    """Return the proxy for `url`; None if there is none, for this machine, and for hosts in NO_PROXY."""
    parsed, found = httpx2.URL(url), getproxies()
    key = next((key for key in (parsed.scheme, "all") if found.get(key)), "")
    if (
        not key
        or is_local(url)
        or proxy_bypass(parsed.netloc.decode())
        or _in_network(parsed.host, found.get("no", ""))
    ):
        return None
    text = found[key] if "://" in found[key] else f"http://{found[key]}"
    name = next((name for name in os.environ if name.lower() == f"{key}_proxy" and os.environ[name]), "the proxy")
    try:
        proxy = httpx2.Proxy(text)
        whole = bool(re.fullmatch(r"[\w.:-]+", proxy.url.host)) and 0 < (proxy.url.port or 80) < 65_536
    except (ValueError, httpx2.InvalidURL):
        whole = False
    if not whole:  # it may have a password, so it is not shown
        schemes = "http, https, socks5 or socks5h"
        raise ValueError(f"{name} is no URL of a proxy; give SCHEME://HOST:PORT with {schemes}, or unset it")
    if proxy.url.scheme.startswith("socks") and find_spec("socksio") is None:
        raise ValueError(f"{name} names a SOCKS proxy, which needs a package; run pip install socksio, or unset it")
    return proxy


def _in_network(host: str, excepted: str) -> bool:
    """Return whether `host` is an address in one of the networks, as 10.0.0.0/8, of NO_PROXY."""
    for one in excepted.split(","):
        try:
            if ip_address(host) in ip_network(one.strip().strip("[]"), strict=False):
                return True
        except ValueError:
            continue
    return False


def _certificates() -> ssl.SSLContext:
    """Return the context of encrypted connections: SSL_CERT_FILE, else SSL_CERT_DIR, else those of the system."""
    file, folder = os.environ.get(_FILE), os.environ.get(_FOLDER)
    if not file and not folder:
        return httpx2.create_ssl_context(trust_env=False)
    name, place = (_FILE, file) if file else (_FOLDER, str(folder))
    try:
        if not file and not any(map(os.path.isdir, place.split(os.pathsep))):
            os.scandir(place).close()  # it raises; OpenSSL would go without certificates
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # the default one also reads SSLKEYLOGFILE
        context.load_verify_locations(cafile=file or None, capath=None if file else folder)
        return context
    except ssl.SSLError:
        why = "there are no PEM certificates in it; name another file"
    except OSError as error:
        why = file_error(error).removeprefix(f"{place}: ")
    raise ValueError(f"{name}={place}: {why}, or unset the variable")
