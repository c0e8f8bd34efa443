"""AWS signatures, made by botocore where it is installed."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

from promptwire_runtime import Built
from promptwire_runtime.errors import SettingError


def signed_headers(built: Built[Any], headers: Mapping[str, str], content: bytes) -> dict[str, str]:
    """Return the headers of a request with its AWS signature, by the usual credentials of the machine.

    Raises:
        SettingError: botocore is not installed, or finds no credentials.
    """
    try:
        # without types
        auth, request, session = (
            import_module(f"botocore.{name}") for name in ("auth", "awsrequest", "session")
        )
    except ImportError:
        raise SettingError(
            f"{built.wire.name}: without an API key, the request needs an AWS signature; pip install botocore"
        ) from None
    signing: Any = built.signing
    credentials: Any = session.Session().get_credentials()
    if credentials is None:
        raise SettingError(
            f"{built.wire.name}: there are no AWS credentials; pass api_key, or set {signing.env} and its secret"
        )
    sent = request.AWSRequest(built.method, built.url, headers=dict(headers), data=content)
    signer = auth.SigV4Auth(credentials.get_frozen_credentials(), signing.service, signing.region)
    signer.add_auth(sent)
    return dict(sent.headers)
