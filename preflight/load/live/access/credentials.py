"""Who asks: what is sent with each request, and the certificate that is shown.

Source: client-go `tools/clientcmd/client_config.go` (getUserIdentificationPartialConfig), `transport/round_trippers.go` (bearer tokens,
basic authentication), `transport/token_source.go` (token files), `rest/transport.go` (plugins and providers), and
`plugin/pkg/client/auth/oidc/oidc.go`.
"""

from __future__ import annotations

import base64
import binascii
import time
from base64 import b64encode
from collections.abc import Mapping
from typing import Protocol

import msgspec
from msgspec import Struct

from preflight.errors import InputError
from preflight.load.live.access.files import decode_data
from preflight.load.live.access.model import AuthProvider, User
from preflight.messages import kubeconfig as messages

_REREAD = 50.0
"""After how many seconds a token file is read again."""

_LARGEST = 16 << 20
"""How many bytes a file of certificates, or of a token, may have."""

_EARLY = 10.0
"""How many seconds before its end an ID token counts as expired."""


class ClientCertificate(Struct, frozen=True):
    """A certificate and its key, as PEM, and where each is from."""

    certificate: bytes
    key: bytes
    source: str
    key_source: str


class Credentials(Protocol):
    """What proves who asks. Errors of all methods: InputError."""

    def get_authorization(self) -> str:
        """The value of the header, "" for none."""
        ...

    def get_certificate(self) -> ClientCertificate | None:
        """The certificate that a plugin gives; None for none."""
        ...


class StaticCredentials:
    """A token, a password, or nothing."""

    def __init__(self, authorization: str) -> None:
        self._authorization = authorization

    def get_authorization(self) -> str:
        """The value of the header, "" for none."""
        return self._authorization

    def get_certificate(self) -> ClientCertificate | None:
        """None."""
        return None


class TokenFile(StaticCredentials):
    """A token that a file holds, without the blanks around it.

    1. It is read again from time to time, since whoever renews a token writes it there.
    2. `token` serves while the file cannot be read or is empty. Without it that is an error.
    """

    def __init__(self, path: str, token: str) -> None:
        super().__init__(f"Bearer {token}" if token else "")
        self._path, self._read_at = path, 0.0
        self.get_authorization()

    def get_authorization(self) -> str:
        """The value of the header."""
        if not self._authorization or time.monotonic() - self._read_at > _REREAD:
            try:
                token = read_file(self._path, "tokenFile").decode("utf-8", "surrogateescape").strip()
                problem = "" if token else messages.describe_empty_token_file(self._path)
            except InputError as error:
                token, problem = "", str(error)
            if problem and not self._authorization:
                raise InputError(problem)
            self._authorization = f"Bearer {token}" if token else self._authorization
            self._read_at = time.monotonic()
        return self._authorization


class _IdTokenClaims(Struct):
    exp: float = 0.0


def make_static_credentials(user: User) -> StaticCredentials | None:
    """The token, or the user name and password, of a user; None where there is neither. A file of a token counts more than a token.

    Errors: InputError if the file holds no token.
    """
    if user.token_file:
        return TokenFile(user.token_file, user.token)
    if user.token:
        return StaticCredentials(f"Bearer {user.token}")
    if user.username:
        return StaticCredentials(f"Basic {b64encode(f'{user.username}:{user.password}'.encode()).decode()}")
    return None


def check_provider(provider: AuthProvider) -> None:
    """Whether kubectl still has a provider. Errors: InputError with what it advises instead."""
    if provider.name != "oidc":
        raise InputError(messages.describe_removed_provider(provider.name))
    for name in ("idp-issuer-url", "client-id"):
        if not provider.config.get(name):
            raise InputError(messages.describe_oidc_without(name))


def make_provider_credentials(provider: AuthProvider) -> StaticCredentials:
    """The ID token of the provider `oidc`, while it is valid.

    An expired one is not renewed: many issuers accept a refresh token once only, so that kubectl writes the new one into the kubeconfig.
    preflight writes nothing there, and would leave its user logged out.

    Errors: InputError for one that has expired.
    """
    token = provider.config.get("id-token", "")
    if token and _is_valid(token):
        return StaticCredentials(f"Bearer {token}")
    raise InputError(messages.describe_expired_id_token(can_renew=bool(provider.config.get("refresh-token"))))


def _is_valid(token: str) -> bool:
    parts = token.split(".")
    if len(parts) != 3:
        raise InputError(messages.INVALID_ID_TOKEN)
    try:
        claims = msgspec.json.decode(base64.urlsafe_b64decode(parts[1] + "=" * (-len(parts[1]) % 4)), type=_IdTokenClaims)
    except (ValueError, binascii.Error, msgspec.MsgspecError):
        raise InputError(messages.INVALID_ID_TOKEN) from None
    return time.time() + _EARLY < claims.exp


def read_client_certificate(user: User, name: str) -> ClientCertificate | None:
    """The certificate of a user and its key, None where there is none. Errors: InputError for a file that cannot be read."""
    if not user.client_certificate and not user.client_certificate_data:
        return None
    return ClientCertificate(
        read_data(user.client_certificate_data, user.client_certificate, "client-certificate"),
        read_data(user.client_key_data, user.client_key, "client-key"),
        user.client_certificate or messages.name_data("client-certificate-data", name),
        user.client_key or messages.name_data("client-key-data", name),
    )


def read_data(data: str, path: str, field: str) -> bytes:
    """What a field holds as data, else its file. Errors: InputError for a file that cannot be read."""
    return decode_data(data) if data else read_file(path, field)


def read_file(path: str, field: str) -> bytes:
    """The file that a field names. Errors: InputError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 (pathlib is slow to import)
            content = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        raise InputError(messages.describe_unreadable_file(field, path, getattr(error, "strerror", None) or "not a path")) from None
    if len(content) > _LARGEST:
        raise InputError(messages.describe_large_file(field, path, _LARGEST >> 20))
    return content


def list_secrets(authorization: str) -> list[str]:
    """What of a header nobody else may see."""
    kind, _, value = authorization.partition(" ")
    if kind != "Basic":
        return [value]
    return [value, base64.b64decode(value).decode("utf-8", "replace").partition(":")[2]]


def make_impersonation_headers(user: User, name: str, groups: tuple[str, ...]) -> list[tuple[str, str]]:
    """The headers that impersonate: `name` and `groups` take the place of the kubeconfig's own, and of nothing else.

    Source: client-go `transport/round_trippers.go` (impersonatingRoundTripper, headerKeyEscape).
    """
    impersonated = name or user.impersonated
    if not impersonated:
        return []
    more = [("Impersonate-Uid", user.impersonated_uid)] if user.impersonated_uid else []
    return [
        ("Impersonate-User", impersonated),
        *(("Impersonate-Group", group) for group in groups or user.impersonated_groups),
        *more,
        *_list_extra_headers(user.impersonated_extra),
    ]


def _list_extra_headers(extra: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(f"Impersonate-Extra-{_escape_key(key)}", value) for key, values in extra.items() for value in values]


def _escape_key(key: str) -> str:
    legal = "!#$&'*+-.^_`|~"
    return "".join(chr(byte) if (chr(byte).isalnum() and byte < 128) or chr(byte) in legal else f"%{byte:02X}" for byte in key.encode())
