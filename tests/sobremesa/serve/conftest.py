"""Fixtures of the server's tests: its tables, a client without a browser, and a browser at a running server."""

import pytest
from browsing import chromium, running
from serving import HOME, LONG
from starlette.testclient import TestClient

from sobremesa.serve.app import make_app
from sobremesa.serve.store import Store
from sobremesa.serve.tables import FILE, Tables


@pytest.fixture
def store(tmp_path):
    store = Store(tmp_path / FILE)
    yield store
    store.close()


@pytest.fixture
def tables(tmp_path):
    return Tables(tmp_path)


@pytest.fixture
def client(tables):
    with TestClient(make_app(tables, patience=LONG), base_url=HOME, follow_redirects=False) as client:
        yield client


@pytest.fixture(scope="module")
def browser():
    with chromium() as browser:
        yield browser


@pytest.fixture(scope="module")
def home(browser, tmp_path_factory):
    with running(tmp_path_factory.mktemp("tables")) as (home, _):
        yield home
