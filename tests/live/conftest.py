"""The server that most of these tests ask: a local one, of a model that calls the tools it is given."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .server import LocalServer, local_server
from .tiny_model import write_tiny_model


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalServer]:
    model = write_tiny_model(tmp_path_factory.mktemp("model") / "calling.gguf", calling=True)
    with local_server(model) as running:
        yield running
