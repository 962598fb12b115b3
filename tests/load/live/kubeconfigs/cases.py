"""The cases, by kind. A name says what is special; what is not said is as in `plain`."""

from __future__ import annotations

import base64
import json
from typing import Any

from tests.load.live.kubeconfigs.case import TOKEN, Case, config, data, listed, one, pem, server, text

_V1 = "client.authentication.k8s.io/v1"


def _credential(version: str = _V1, kind: str = "ExecCredential", **status: Any) -> str:
    return json.dumps({"kind": kind, "apiVersion": version, "status": status})


def _exec(command: str = "@FOLDER@/plugin.sh", version: Any = _V1, mode: Any = "IfAvailable", **more: Any) -> dict[str, Any]:
    found = {"apiVersion": version, "command": command, "interactiveMode": mode, **more}
    return {"exec": {name: value for name, value in found.items() if value is not ...}}


def _plugin(answer: str = _credential(token=TOKEN), *, before: str = "", user: Any = None, **more: Any) -> Case:
    """A plugin that prints this answer."""
    script = f"#!/bin/sh\n{before}\ncat <<'END'\n{answer}\nEND\n"
    return one(user=user if user is not None else _exec(), files={"plugin.sh": script, **more.pop("files", {})}, **more)


def _kuberc(version: str = "v1beta1", **more: Any) -> str:
    return json.dumps({"apiVersion": f"kubectl.config.k8s.io/{version}", "kind": "Preference", **more})


def _allow(*commands: str) -> str:
    return _kuberc(credentialPluginPolicy="Allowlist", credentialPluginAllowlist=[{"command": command} for command in commands])


def _jwt(claims: object) -> str:
    return ".".join(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in ('{"alg":"none"}', json.dumps(claims), "x"))


def _oidc(**more: str) -> dict[str, Any]:
    issuer = {"client-id": "x", "idp-issuer-url": "https://127.0.0.1:@DEAD@"}
    return {"auth-provider": {"name": "oidc", "config": {**issuer, **{name.replace("_", "-"): value for name, value in more.items()}}}}


def _named(context: str, cluster: str, user: str) -> dict[str, Any]:
    return {
        "current": context,
        "contexts": [{"name": context, "context": {"cluster": cluster, "user": user}}],
        "clusters": [{"name": cluster, "cluster": server()}],
        "users": [{"name": user, "user": {"token": TOKEN}}],
    }


_ARN = "arn:aws:eks:eu-west-1:123456789012:cluster/prod"
_MASTER = config()
_BLOCK = f"""\
current-context: c1
contexts:
- name: c1
  context: {{cluster: cl, user: us}}
clusters:
- name: cl
  cluster:
    server: https://127.0.0.1:@HTTPS@
    certificate-authority: "@TLS@/ca.crt"
users:
- name: us
  user:
    token: {TOKEN}
"""
_USERLESS = config(users=[], contexts=[], current=...)
_NO_CLUSTERS = config(clusters=[])
_CERTIFICATE = {"client-certificate": "@TLS@/good.crt", "client-key": "@TLS@/good.key"}
_CERTIFICATE_DATA = {"client-certificate-data": data("good.crt"), "client-key-data": data("good.key")}
_EARLIER = "2020-01-01T00:00:00Z"

FILES = {
    "plain": one(),
    "two files: cluster in one, user and context in the other": listed("a", "b", a=_USERLESS, b=_NO_CLUSTERS),
    "two files: the first has a user of this name": listed("a", "b", a=config(), b=config(user={"token": "other"})),
    "two files: the first has another user of this name": listed("a", "b", a=config(user={"token": "other"}), b=config()),
    "two files: of a user of the second nothing is added": listed("a", "b", a=config(user={"as": "joe"}), b=config()),
    "two files: the current context of the first": listed("a", "b", a=config(current="c1"), b=config(current="nope")),
    "two files: the current context of the second": listed("a", "b", a=config(current=""), b=config()),
    "one missing": listed("nothere", "b", b=config()),
    "all missing": listed("nothere", "nor-this"),
    "an empty element": listed("", "b", "", b=config()),
    "one broken": listed("a", "b", a=config(), b="a: [b\n"),
    "one empty": listed("a", "b", a="", b=config()),
    "one of blanks": listed("a", "b", a=" \n\n", b=config()),
    "one of comments": listed("a", "b", a="# nothing yet\n", b=config()),
    "one null": listed("a", "b", a="null\n", b=config()),
    "one a separator alone": listed("a", "b", a="---\n", b=config()),
    "the same file twice": listed("a", "a", a=config()),
    "one with a repeated name": listed("a", "b", a=config(), b=config(users=[{"name": "x", "user": {}}, {"name": "x", "user": {}}])),
    "one below a file": listed("a/b", "a", a=config()),
    "one a folder": listed("sub", "a", a=config(), **{"sub/x": ""}),
    "the default in the home": Case({".kube/config": config()}),
    "an empty KUBECONFIG means the default": Case({".kube/config": config()}, env={"KUBECONFIG": ""}),
    "KUBECONFIG means no default": Case({".kube/config": config(), "a": ""}, env={"KUBECONFIG": "@FOLDER@/a"}),
    "KUBECONFIG of a colon alone": Case({".kube/config": config()}, env={"KUBECONFIG": ":"}),
    "--kubeconfig beats KUBECONFIG": Case(
        {"a": config(), "b": config(user={"token": "other"})}, "@FOLDER@/a", env={"KUBECONFIG": "@FOLDER@/b"}
    ),
    "--kubeconfig missing": Case({}, "@FOLDER@/nothere"),
    "--kubeconfig takes no list": Case({"a": config()}, "@FOLDER@/a:@FOLDER@/b"),
    "--kubeconfig in another folder, relative": Case({"sub/a": config()}, "sub/a"),
    "nothing at all": Case({}),
    "a folder": Case({"sub/x": ""}, "@FOLDER@/sub"),
    "an empty file": text(""),
    "wrong YAML": text("apiVersion: v1\nclusters:\n  - [\n"),
    "wrong YAML with a token in the line": text(f"users:\n- name: us\n  user: {{token: {TOKEN}: x}}\n"),
    "a tab": text("apiVersion: v1\n\tkind: Config\n"),
    "binary": text("\x00\x01\x02"),
    "a list": text("- a\n- b\n"),
    "a string": text("hello\n"),
    "another kind": text(_MASTER.replace('"Config"', '"Secret"')),
    "another version": text(_MASTER.replace('"v1"', '"v2"')),
    "no kind and no version": one(kind=..., apiVersion=...),
    "two documents": text(f"{config()}\n---\n{config(user={'token': 'other'})}"),
    "a separator in front": text(f"---\n{config()}"),
    "a byte order mark": text(f"\ufeff{config()}"),
    "CRLF": text(config().replace("\n", "\r\n")),
    "a key that is there twice": text(f"current-context: nope\nclusters: []\n{_BLOCK}"),
    "a key that is there twice, in JSON": text('{"current-context": "nope", ' + config().removeprefix("{")),
    "aliases": text(_BLOCK.replace("token: ", "token: &t ") + "- name: u2\n  user: {token: *t}\n"),
    "unknown keys": one(extra=1, preferences={"colors": True}, user={"token": TOKEN, "zzz": 1}),
    "keys in capitals are unknown keys": text(_MASTER.replace('"users"', '"Users"')),
    "extensions": one(cluster=server(extensions=[{"name": "minikube", "extension": {"a": 1}}])),
    "an extension that is there twice": one(cluster=server(extensions=[{"name": "e", "extension": {}}, {"name": "e", "extension": {}}])),
    "null lists": one(current="", contexts=None, users=None, clusters=None),
    "users null": one(users=None),
    "a user null": one(users=[{"name": "us", "user": None}]),
    "a number as a name": text(_MASTER.replace('"c1"', "1")),
    "a number as a token": one(user={"token": 12345}),
    "true as a token": one(user={"token": True}),
    "a text where true is": one(cluster=server(insecure_skip_tls_verify="true", certificate_authority=...)),
    "a mapping as the list of users": one(users={"us": {"token": TOKEN}}),
    "a path with a colon": Case({"arn:aws:eks.yaml": config()}, "@FOLDER@/arn:aws:eks.yaml"),
    "a path with blanks": Case({"my config.yaml": config()}, "@FOLDER@/my config.yaml"),
    "a path with a tilde": Case({"plain": config()}, "~/plain"),
    "a file that may not be read": Case({"a": config()}, "@FOLDER@/a", modes={"a": 0}),
    "a file that may not be read, of two": listed("a", "b", a=config(), b=config())._replace(modes={"a": 0}),
}

CONTEXTS = {
    "--context": one(current=..., args=("--context", "c1")),
    "--context beats the current one": one(current="nope", args=("--context", "c1")),
    "--context missing": one(args=("--context", "nope")),
    "--context and no file": Case({}, args=("--context", "c1")),
    "current context missing": one(current="other"),
    "current context empty": one(current=""),
    "current context absent": one(current=...),
    "a context without its cluster": one(clusters=[]),
    "a context without its user": one(users=[]),
    "a context without its user, by http": one(cluster={"server": "http://127.0.0.1:@HTTP@"}, users=[]),
    "a context that names no user": one(context={"cluster": "cl"}),
    "a context that names no cluster": one(context={"user": "us"}),
    "a context with a namespace": one(context={"cluster": "cl", "user": "us", "namespace": "kube-system"}),
    "two contexts of one name": one(contexts=[{"name": "c1", "context": {"cluster": "cl", "user": "us"}}] * 2),
    "two clusters of one name": one(clusters=[{"name": "cl", "cluster": server()}] * 2),
    "two users of one name": one(users=[{"name": "us", "user": {"token": TOKEN}}, {"name": "us", "user": {"token": "other"}}]),
    "two users of one name, the other way round": one(
        users=[{"name": "us", "user": {"token": "other"}}, {"name": "us", "user": {"token": TOKEN}}]
    ),
    "two users without a name": one(users=[{"user": {}}, {"user": {}}, {"name": "us", "user": {"token": TOKEN}}]),
    "another context is broken": one(
        contexts=[{"name": "c1", "context": {"cluster": "cl", "user": "us"}}, {"name": "c2", "context": {"cluster": "gone"}}]
    ),
    "another user is broken": one(users=[{"name": "us", "user": {"token": TOKEN}}, {"name": "u2", "user": _exec(version="v9")}]),
    "names of ARNs": one(**_named(_ARN, _ARN, _ARN)),
    "names with blanks": one(**_named("my ctx (prod) @ home", "cl uster", "John Q. Doe / admin")),
    "names in other letters": one(**_named("größe-日本", "grö", "日本")),
    "--as": one(args=("--as", "jane")),
    "--as and --as-group": one(args=("--as", "jane", "--as-group", "sre", "--as-group", "dev")),
    "--as-group alone": one(args=("--as-group", "sre")),
    "--as-group beside as": one(user={"token": TOKEN, "as": "joe", "as-groups": ["a"]}, args=("--as-group", "sre")),
    "as": one(user={"token": TOKEN, "as": "joe"}),
    "as with all that there is": one(
        user={"token": TOKEN, "as": "joe", "as-uid": "7", "as-groups": ["a", "b"], "as-user-extra": {"Ab/c%d é": ["1", "2"]}}
    ),
    "as in other letters": one(user={"token": TOKEN, "as": "größe"}),
    "as-groups without as": one(user={"token": TOKEN, "as-groups": ["a"]}),
    "as, by http": one(cluster={"server": "http://127.0.0.1:@HTTP@"}, user={"token": TOKEN, "as": "joe"}),
}

USERS = {
    "nothing that says who asks": one(user={}),
    "nothing that says who asks, by http": one(cluster={"server": "http://127.0.0.1:@HTTP@"}, user={}),
    "only as": one(user={"as": "joe"}),
    "a token by http is not sent": one(cluster={"server": "http://127.0.0.1:@HTTP@"}),
    "a token file by http is not read": one(cluster={"server": "http://127.0.0.1:@HTTP@"}, user={"tokenFile": "nothere"}),
    "a token with a newline": one(user={"token": TOKEN + "\n"}),
    "a token with a newline and more": one(user={"token": TOKEN + "\nX-Evil: 1"}),
    "a token in other letters": one(user={"token": "größe"}),
    "a token of a blank": one(user={"token": " "}),
    "a token file": one(user={"tokenFile": "@FOLDER@/token"}, files={"token": TOKEN}),
    "a token file with a newline": one(user={"tokenFile": "@FOLDER@/token"}, files={"token": TOKEN + "\n"}),
    "a token file with blanks and CRLF": one(user={"tokenFile": "@FOLDER@/token"}, files={"token": f" {TOKEN} \r\n\r\n"}),
    "a token file, relative": Case({"sub/config": config(user={"tokenFile": "token"}), "sub/token": TOKEN}, "@FOLDER@/sub/config"),
    "a token file above, relative": Case({"sub/config": config(user={"tokenFile": "../token"}), "token": TOKEN}, "@FOLDER@/sub/config"),
    "a token file, relative, of the second file": Case(
        {"a": _USERLESS, "sub/b": config(user={"tokenFile": "token"}, clusters=[]), "sub/token": TOKEN},
        env={"KUBECONFIG": "@FOLDER@/a:@FOLDER@/sub/b"},
    ),
    "a token file that is missing": one(user={"tokenFile": "@FOLDER@/nothere"}),
    "a token file that is empty": one(user={"tokenFile": "@FOLDER@/token"}, files={"token": ""}),
    "a token file of a newline": one(user={"tokenFile": "@FOLDER@/token"}, files={"token": "\n"}),
    "a token file that is a folder": one(user={"tokenFile": "@FOLDER@"}),
    "a token and a token file": one(user={"token": "other", "tokenFile": "@FOLDER@/token"}, files={"token": TOKEN + "\n"}),
    "a token and a token file that is missing": one(user={"token": TOKEN, "tokenFile": "@FOLDER@/nothere"}),
    "a token and a token file that is empty": one(user={"token": TOKEN, "tokenFile": "@FOLDER@/token"}, files={"token": "\n"}),
    "a name and a password": one(user={"username": "a", "password": "b:c"}),
    "a name alone": one(user={"username": "a"}),
    "a password alone": one(user={"password": "b"}),
    "a name, a password and a token": one(user={"username": "a", "password": "b", "token": TOKEN}),
    "a name, a password and a token file": one(
        user={"username": "a", "password": "b", "tokenFile": "@FOLDER@/token"}, files={"token": TOKEN}
    ),
    "a certificate": one(user=_CERTIFICATE),
    "a certificate as data": one(user=_CERTIFICATE_DATA),
    "a certificate as data with line ends": one(
        user={**_CERTIFICATE_DATA, "client-certificate-data": base64.encodebytes(pem("good.crt").encode()).decode()}
    ),
    "a certificate as a file and its key as data": one(user={"client-certificate": "@TLS@/good.crt", "client-key-data": data("good.key")}),
    "a certificate as a file and as data": one(user={**_CERTIFICATE, "client-certificate-data": data("good.crt")}),
    "a key as a file and as data": one(user={**_CERTIFICATE, "client-key-data": data("good.key")}),
    "a certificate without a key": one(user={"client-certificate": "@TLS@/good.crt"}),
    "a key without a certificate": one(user={"client-key": "@TLS@/good.key", "token": TOKEN}),
    "a key without a certificate, and nothing else": one(user={"client-key": "@TLS@/good.key"}),
    "a certificate that is missing": one(user={**_CERTIFICATE, "client-certificate": "@FOLDER@/nothere"}),
    "a key that is missing": one(user={**_CERTIFICATE, "client-key": "@FOLDER@/nothere"}),
    "a certificate of garbage": one(user={**_CERTIFICATE_DATA, "client-certificate-data": "Z2FyYmFnZQ=="}),
    "a key of garbage": one(user={**_CERTIFICATE_DATA, "client-key-data": "Z2FyYmFnZQ=="}),
    "a certificate and the key of another": one(user={**_CERTIFICATE, "client-key": "@TLS@/unrelated.key"}),
    "a certificate with an encrypted key": one(user={**_CERTIFICATE, "client-key": "@TLS@/encrypted.key"}),
    "a key in the place of a certificate": one(user={**_CERTIFICATE, "client-certificate": "@TLS@/good.key"}),
    "a certificate that is not base64": one(user={**_CERTIFICATE_DATA, "client-certificate-data": "!!!"}),
    "a key that is not base64, of another user": one(
        users=[{"name": "us", "user": {"token": TOKEN}}, {"name": "u2", "user": {"client-key-data": "???"}}]
    ),
    "a certificate of another authority": one(user={"client-certificate": "@TLS@/stranger.crt", "client-key": "@TLS@/stranger.key"}),
    "a certificate and a token": one(user={**_CERTIFICATE, "token": TOKEN}),
    "a certificate and a password": one(user={**_CERTIFICATE, "username": "a", "password": "b"}),
    "a certificate, relative": Case(
        {
            "sub/config": config(user={"client-certificate": "../c.crt", "client-key": "k"}),
            "c.crt": pem("good.crt"),
            "sub/k": pem("good.key"),
        },
        "@FOLDER@/sub/config",
    ),
    "oidc with a valid token": one(user=_oidc(id_token=_jwt({"exp": 4102444800}))),
    "oidc with a valid token, and an end in fractions": one(user=_oidc(id_token=_jwt({"exp": 4102444800.5}))),
    "oidc with an expired token": one(user=_oidc(id_token=_jwt({"exp": 1}))),
    "oidc with an expired token and a refresh token": one(user=_oidc(id_token=_jwt({"exp": 1}), refresh_token="r")),
    "oidc without a token": one(user=_oidc()),
    "oidc with a token that is none": one(user=_oidc(id_token="aaa.bbb.ccc")),
    "oidc with a token of one part": one(user=_oidc(id_token="aaa")),
    "oidc without an issuer": one(user={"auth-provider": {"name": "oidc", "config": {"client-id": "x"}}}),
    "oidc and a token": one(user={**_oidc(id_token=_jwt({"exp": 1})), "token": TOKEN}),
    "oidc and a certificate": one(user={**_oidc(id_token=_jwt({"exp": 4102444800})), **_CERTIFICATE}),
    "gcp": one(user={"auth-provider": {"name": "gcp", "config": {"access-token": "x"}}}),
    "gcp and a token": one(user={"auth-provider": {"name": "gcp"}, "token": TOKEN}),
    "azure": one(user={"auth-provider": {"name": "azure", "config": {"access-token": "x"}}}),
    "openstack": one(user={"auth-provider": {"name": "openstack"}}),
    "gcp, by http": one(cluster={"server": "http://127.0.0.1:@HTTP@"}, user={"auth-provider": {"name": "gcp"}}),
}

SERVERS = {
    "authority as data": one(cluster=server(certificate_authority=..., certificate_authority_data=data("ca.crt"))),
    "authority as a file and as data": one(cluster=server(certificate_authority_data=data("ca.crt"))),
    "authority, relative": Case(
        {"sub/config": config(server(certificate_authority="../ca.crt")), "ca.crt": pem("ca.crt")}, "@FOLDER@/sub/config"
    ),
    "authority of somebody else": one(cluster=server(certificate_authority="@TLS@/other-ca.crt")),
    "authority of somebody else, and the right one": one(
        cluster=server(
            certificate_authority=...,
            certificate_authority_data=base64.b64encode(
                base64.b64decode(data("other-ca.crt")) + b"# mine\n" + base64.b64decode(data("ca.crt"))
            ).decode(),
        )
    ),
    "authority between that another signed": one(cluster=server(certificate_authority="@TLS@/middle-ca.crt")),
    "authority that is the server itself": one(cluster=server(certificate_authority="@TLS@/server.crt")),
    "authority with a broken one before it": one(
        cluster=server(
            certificate_authority=...,
            certificate_authority_data=base64.b64encode(
                b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n" + base64.b64decode(data("ca.crt"))
            ).decode(),
        )
    ),
    "no authority": one(cluster=server(certificate_authority=...)),
    "no authority, and one of the system": one(cluster=server(certificate_authority=...), env={"SSL_CERT_FILE": "@TLS@/ca.crt"}),
    "authority that is missing": one(cluster=server(certificate_authority="@FOLDER@/nothere")),
    "authority that is missing, by http": one(cluster={"server": "http://127.0.0.1:@HTTP@", "certificate-authority": "@FOLDER@/nothere"}),
    "authority of garbage": one(cluster=server(certificate_authority=..., certificate_authority_data="eHg=")),
    "authority that is not base64": one(cluster=server(certificate_authority=..., certificate_authority_data="!!!")),
    "authority that is an empty file": one(cluster=server(certificate_authority="@FOLDER@/empty"), files={"empty": ""}),
    "authority that is a key": one(cluster=server(certificate_authority="@TLS@/good.key")),
    "insecure": one(cluster=server(certificate_authority=..., insecure_skip_tls_verify=True)),
    "insecure with an authority": one(cluster=server(insecure_skip_tls_verify=True)),
    "insecure with an authority as data": one(
        cluster=server(certificate_authority=..., certificate_authority_data=data("ca.crt"), insecure_skip_tls_verify=True)
    ),
    "insecure with a certificate": one(cluster=server(certificate_authority=..., insecure_skip_tls_verify=True), user=_CERTIFICATE),
    "insecure with an authority, by http": one(
        cluster={"server": "http://127.0.0.1:@HTTP@", "certificate-authority": "@TLS@/ca.crt", "insecure-skip-tls-verify": True}
    ),
    "tls-server-name": one(cluster=server(tls_server_name="api.test")),
    "tls-server-name that is another": one(cluster=server(tls_server_name="prod.example.com")),
    "tls-server-name and insecure": one(
        cluster=server(tls_server_name="prod.example.com", certificate_authority=..., insecure_skip_tls_verify=True)
    ),
    "localhost": one(cluster=server(server="https://localhost:@HTTPS@")),
    "a path": one(cluster=server(server="https://127.0.0.1:@HTTPS@/k8s/clusters/c-1")),
    "a path that ends in a slash": one(cluster=server(server="https://127.0.0.1:@HTTPS@/k8s/")),
    "a path with a blank": one(cluster=server(server="https://127.0.0.1:@HTTPS@/a b")),
    "a path in other letters": one(cluster=server(server="https://127.0.0.1:@HTTPS@/größe/")),
    "a path with an escape": one(cluster=server(server="https://127.0.0.1:@HTTPS@/a%2Fb")),
    "a path with a broken escape": one(cluster=server(server="https://127.0.0.1:@HTTPS@/a%zz")),
    "an address of IPv4 in brackets": one(cluster=server(server="https://[127.0.0.1]:@HTTPS@")),
    "an escape in the host": one(cluster=server(server="https://local%68ost:@HTTPS@")),
    "a slash at the end": one(cluster=server(server="https://127.0.0.1:@HTTPS@/")),
    "a query and a fragment": one(cluster=server(server="https://127.0.0.1:@HTTPS@/a?token=SECRET#frag")),
    "a query without a path": one(cluster=server(server="https://127.0.0.1:@HTTPS@?token=SECRET")),
    "a user name and a password": one(cluster=server(server="https://me:SECRET%21@127.0.0.1:@HTTPS@")),
    "a user name and a password, and nothing else": one(cluster=server(server="https://me:SECRET@127.0.0.1:@HTTPS@"), user={}),
    "a user name and a password, by http": one(cluster={"server": "http://me:SECRET@127.0.0.1:@HTTP@"}),
    "a user name alone": one(cluster=server(server="https://me@127.0.0.1:@HTTPS@")),
    "a user name, a password and a certificate": one(cluster=server(server="https://me:SECRET@127.0.0.1:@HTTPS@"), user=_CERTIFICATE),
    "a password with a slash": one(cluster=server(server="https://me:SEC/RET@127.0.0.1:@HTTPS@")),
    "no scheme": one(cluster=server(server="127.0.0.1:@HTTP@")),
    "no scheme, a name": one(cluster=server(server="localhost:@HTTP@")),
    "no scheme, a path": one(cluster=server(server="127.0.0.1:@HTTP@/path")),
    "no scheme, a user name": one(cluster=server(server="me:SECRET@127.0.0.1:@HTTP@")),
    "http": one(cluster={"server": "http://127.0.0.1:@HTTP@"}),
    "http to a port of https": one(cluster={"server": "http://127.0.0.1:@HTTPS@"}),
    "https to a port of http": one(cluster=server(server="https://127.0.0.1:@HTTP@")),
    "HTTPS in capitals": one(cluster=server(server="HTTPS://127.0.0.1:@HTTPS@")),
    "Https with one capital": one(cluster=server(server="Https://localhost:@HTTPS@/")),
    "HTTP in capitals": one(cluster={"server": "HTTP://127.0.0.1:@HTTP@"}),
    "another scheme": one(cluster=server(server="htps://127.0.0.1:@HTTPS@/x?token=SECRET")),
    "ftp": one(cluster=server(server="ftp://127.0.0.1:@HTTPS@")),
    "no port that is a number": one(cluster=server(server="https://127.0.0.1:SECRET")),
    "a bracket": one(cluster=server(server="http://[x")),
    "a newline at the end": one(cluster=server(server="https://127.0.0.1:@HTTPS@\n")),
    "a blank in front": one(cluster=server(server=" https://127.0.0.1:@HTTPS@")),
    "a blank in the host": one(cluster=server(server="https://127.0.0.1 :@HTTPS@")),
    "nobody listens": one(cluster=server(server="https://127.0.0.1:@DEAD@")),
    "a host that does not exist": one(cluster=server(server="https://no-such-host.invalid")),
    "no server": one(cluster=server(server=...)),
    "an empty cluster": one(cluster={}),
    "no compression": one(cluster=server(disable_compression=True)),
}

_NAMED = {"server": "https://api.test:6443", "certificate-authority": "@TLS@/ca.crt"}
_VIA = {"HTTPS_PROXY": "http://127.0.0.1:@PROXY@"}

PROXIES = {
    "proxy-url": one(cluster=server(proxy_url="http://127.0.0.1:@PROXY@")),
    "proxy-url, and a name that only the proxy knows": one(cluster={**_NAMED, "proxy-url": "http://127.0.0.1:@PROXY@"}),
    "proxy-url with a password": one(cluster={**_NAMED, "proxy-url": "http://me:SECRET%21@127.0.0.1:@PROXY@"}),
    "proxy-url beats the environment": one(
        cluster={**_NAMED, "proxy-url": "http://127.0.0.1:@PROXY@"}, env={"HTTPS_PROXY": "http://127.0.0.1:@DEAD@", "NO_PROXY": "*"}
    ),
    "proxy-url of http for a server of http": one(cluster={"server": "http://api.test", "proxy-url": "http://127.0.0.1:@PROXY@"}),
    "proxy-url of https": one(cluster={**_NAMED, "proxy-url": "https://127.0.0.1:@TLSPROXY@"}),
    "proxy-url of socks5": one(cluster={**_NAMED, "proxy-url": "socks5://127.0.0.1:@SOCKS@"}),
    "proxy-url of socks5 with a password": one(cluster={**_NAMED, "proxy-url": "socks5://me:SECRET@127.0.0.1:@SOCKS@"}),
    "proxy-url of socks5h": one(cluster={**_NAMED, "proxy-url": "socks5h://127.0.0.1:@SOCKS@"}),
    "proxy-url where nobody listens": one(cluster=server(proxy_url="http://127.0.0.1:@DEAD@")),
    "proxy-url where nobody listens, with a password": one(cluster=server(proxy_url="http://me:SECRET@127.0.0.1:@DEAD@")),
    "proxy-url that is none": one(cluster=server(proxy_url="nonsense")),
    "proxy-url without a scheme": one(cluster=server(proxy_url="127.0.0.1:@PROXY@")),
    "proxy-url of another scheme": one(cluster=server(proxy_url="ftp://me:SECRET@127.0.0.1:@PROXY@")),
    "HTTPS_PROXY": one(cluster=_NAMED, env=_VIA),
    "https_proxy": one(cluster=_NAMED, env={"https_proxy": "http://127.0.0.1:@PROXY@"}),
    "HTTPS_PROXY beats https_proxy": one(cluster=_NAMED, env={**_VIA, "https_proxy": "http://127.0.0.1:@DEAD@"}),
    "an empty HTTPS_PROXY is none": one(cluster=_NAMED, env={"HTTPS_PROXY": "", "https_proxy": "http://127.0.0.1:@PROXY@"}),
    "HTTPS_PROXY without a scheme": one(cluster=_NAMED, env={"HTTPS_PROXY": "127.0.0.1:@PROXY@"}),
    "HTTPS_PROXY with a password": one(cluster=_NAMED, env={"HTTPS_PROXY": "http://me:SECRET@127.0.0.1:@PROXY@"}),
    "HTTPS_PROXY of socks5": one(cluster=_NAMED, env={"HTTPS_PROXY": "socks5://127.0.0.1:@SOCKS@"}),
    "HTTPS_PROXY that is none": one(env={"HTTPS_PROXY": "http://[x"}),
    "HTTPS_PROXY and a server on loopback": one(env={"HTTPS_PROXY": "http://127.0.0.1:@DEAD@"}),
    "HTTPS_PROXY and localhost": one(cluster=server(server="https://localhost:@HTTPS@"), env={"HTTPS_PROXY": "http://127.0.0.1:@DEAD@"}),
    "https_proxy and another address of loopback": one(
        cluster=server(server="https://127.0.0.2:@HTTPS@", tls_server_name="localhost"), env={"https_proxy": "http://127.0.0.1:@PROXY@"}
    ),
    "HTTP_PROXY is not that of https": one(cluster=_NAMED, env={"HTTP_PROXY": "http://127.0.0.1:@PROXY@"}),
    "HTTP_PROXY": one(cluster={"server": "http://api.test"}, env={"HTTP_PROXY": "http://127.0.0.1:@PROXY@"}),
    "ALL_PROXY is not read": one(env={"ALL_PROXY": "http://127.0.0.1:@DEAD@"}),
    "ALL_PROXY is not read for a name": one(
        cluster=_NAMED, env={"ALL_PROXY": "http://127.0.0.1:@PROXY@", "all_proxy": "http://127.0.0.1:1"}
    ),
    **{
        f"NO_PROXY {no_proxy} for {address}": one(
            cluster={"server": f"https://{address}", "certificate-authority": "@TLS@/ca.crt", "tls-server-name": "api.test"},
            env={**_VIA, "NO_PROXY": no_proxy},
        )
        for address, no_proxy in (
            ("api.test:6443", "*"),
            ("api.test:6443", "api.test"),
            ("api.test:6443", "API.TEST"),
            ("api.test:6443", "test"),
            ("api.test:6443", ".test"),
            ("api.test:6443", "*.test"),
            ("api.test:6443", ".api.test"),
            ("api.test:6443", "*.api.test"),
            ("api.test:6443", "pi.test"),
            ("api.test:6443", "api.test:6443"),
            ("api.test:6443", "api.test:443"),
            ("api.test", "api.test:443"),
            ("api.test:6443", "a, api.test ,b"),
            ("api.test:6443", "a;api.test"),
            ("api.test:6443", "10.0.0.0/8"),
            ("API.test:6443", "api.test"),
            ("0.0.0.0:@HTTPS@", "0.0.0.0"),
            ("0.0.0.0:@HTTPS@", "0.0.0.0/24"),
            ("0.0.0.0:@HTTPS@", "0.0.0.9/24"),
            ("0.0.0.0:@HTTPS@", "0.0.1.0/24"),
            ("0.0.0.0:@HTTPS@", "0.0.0."),
            ("0.0.0.0:@HTTPS@", "0.0.0.0:@HTTPS@"),
            ("0.0.0.0:@HTTPS@", "0.0.0.0:443"),
            ("[::]:6443", "::"),
            ("[::]:6443", "[::]:6443"),
            ("[::]:6443", "[::]"),
            ("[::]:6443", "::/32"),
        )
    },
}

_PROMPT = 'printf "MFA code: " >&2; read x || x=none; [ "$x" = 123 ] || { echo "got [$x]" >&2; exit 9; }'

PLUGINS = {
    "a plugin": _plugin(),
    "a plugin, relative": Case(
        {"sub/config": config(user=_exec("./plugin.sh")), "sub/plugin.sh": f"#!/bin/sh\necho '{_credential(token=TOKEN)}'\n"},
        "@FOLDER@/sub/config",
    ),
    "a plugin above, relative": Case(
        {"sub/config": config(user=_exec("../plugin.sh")), "plugin.sh": f"#!/bin/sh\necho '{_credential(token=TOKEN)}'\n"},
        "@FOLDER@/sub/config",
    ),
    "a plugin of PATH": _plugin(user=_exec("plugin.sh"), env={"PATH": "@FOLDER@:/usr/bin:/bin"}),
    "a plugin beside the kubeconfig is not of PATH": _plugin(user=_exec("plugin.sh")),
    "a plugin by http is not run": _plugin(before="exit 1", cluster={"server": "http://127.0.0.1:@HTTP@"}),
    "a plugin with arguments": _plugin(before='[ "$1 $2" = "a b c" ] || exit 4', user=_exec(args=["a", "b c"])),
    "a plugin with null arguments": _plugin(user=_exec(args=None, env=None)),
    "a plugin that fails": _plugin(before="echo 'login expired' >&2; exit 7"),
    "a plugin that fails and prints": _plugin(before=f"echo '{_credential(token=TOKEN)}'; exit 7"),
    "a plugin that is missing": one(user=_exec("no-such-plugin")),
    "a plugin that is missing, with a hint": one(user=_exec("no-such-plugin", installHint="get it:\n  brew install x\n")),
    "a plugin that is missing, with a hint of escapes": one(user=_exec("@FOLDER@/none", installHint="\x1b]52;c;aGk=\x07\n::error::gone")),
    "a plugin that may not be run": _plugin(modes={"plugin.sh": 0o644}),
    "a plugin that warns": _plugin(before="echo 'WARNING: update' >&2"),
    "a plugin that prints more": _plugin(before="echo 'WARNING: update'"),
    "a plugin that prints YAML": _plugin(f"kind: ExecCredential\napiVersion: {_V1}\nstatus:\n  token: {TOKEN}"),
    "a plugin that prints nothing": _plugin(""),
    "a plugin that prints another kind": _plugin(_credential(kind="Secret", token=TOKEN)),
    "a plugin that prints no kind": _plugin(json.dumps({"status": {"token": TOKEN}})),
    "a plugin that reads, Never": _plugin(before=_PROMPT, user=_exec(mode="Never"), stdin="123\n"),
    "a plugin that reads, IfAvailable": _plugin(before=_PROMPT, stdin="123\n"),
    "a plugin that reads, Always": _plugin(before=_PROMPT, user=_exec(mode="Always"), stdin="123\n"),
    "a plugin, Always": _plugin(user=_exec(mode="Always")),
    "a plugin with a mode that is none": _plugin(user=_exec(mode="Sometimes")),
    "a plugin of v1 without a mode": _plugin(user=_exec(mode=...)),
    "a plugin of v1beta1 without a mode": _plugin(_credential(_V1 + "beta1", token=TOKEN), user=_exec(version=_V1 + "beta1", mode=...)),
    "a plugin of v1alpha1": _plugin(user=_exec(version=_V1 + "alpha1")),
    "a plugin of v1alpha1 without a mode": _plugin(user=_exec(version=_V1 + "alpha1", mode=...)),
    "a plugin of v2": _plugin(user=_exec(version="client.authentication.k8s.io/v2")),
    "a plugin without a version": _plugin(user=_exec(version=...)),
    "a plugin without a command": _plugin(user=_exec("")),
    "a plugin with a variable without a name": _plugin(user=_exec(env=[{"value": "x"}])),
    "a plugin that answers in another version": _plugin(_credential(_V1 + "beta1", token=TOKEN)),
    "a plugin that answers in no version": _plugin(json.dumps({"kind": "ExecCredential", "status": {"token": TOKEN}})),
    "a plugin with a variable": _plugin(before='[ "$MINE" = hello ] || exit 4', user=_exec(env=[{"name": "MINE", "value": "hello"}])),
    "a plugin with a variable that is there": _plugin(
        before='[ "$MINE" = hello ] || exit 4', user=_exec(env=[{"name": "MINE", "value": "hello"}]), env={"MINE": "no"}
    ),
    "a plugin that is told nothing": _plugin(
        before="""printf %s "$KUBERNETES_EXEC_INFO" >@FOLDER@/told; grep -qx '{}' @FOLDER@/told || exit 4""".format(
            json.dumps({"kind": "ExecCredential", "apiVersion": _V1, "spec": {"interactive": False}}, separators=(",", ":"))
        )
    ),
    "a plugin that is told of the cluster": _plugin(
        before='for word in "https://127.0.0.1:@HTTPS@" certificate-authority-data audience; do\n'
        'case "$KUBERNETES_EXEC_INFO" in *"$word"*) ;; *) exit 4;; esac; done',
        user=_exec(provideClusterInfo=True),
        cluster=server(extensions=[{"name": "client.authentication.k8s.io/exec", "extension": {"audience": "x"}}]),
    ),
    "a plugin whose token has expired": _plugin(_credential(token=TOKEN, expirationTimestamp=_EARLIER)),
    "a plugin whose time cannot be read": _plugin(_credential(token=TOKEN, expirationTimestamp="soon")),
    "a plugin without a token": _plugin(_credential()),
    "a plugin without a status": _plugin(json.dumps({"kind": "ExecCredential", "apiVersion": _V1})),
    "a plugin whose token is a number": _plugin(_credential(token=7)),
    "a plugin whose token has a newline": _plugin(_credential(token=TOKEN + "\n")),
    "a plugin with a certificate": _plugin(_credential(clientCertificateData=pem("good.crt"), clientKeyData=pem("good.key"))),
    "a plugin with a certificate and a token": _plugin(
        _credential(
            token=TOKEN,
            clientCertificateData=pem("good.crt"),
            clientKeyData=pem("good.key"),
        )
    ),
    "a plugin with a certificate alone": _plugin(_credential(clientCertificateData=pem("good.crt"))),
    "a plugin with a certificate of garbage": _plugin(_credential(clientCertificateData="x", clientKeyData="y")),
    "a plugin and a token": _plugin(before="exit 1", user={**_exec(), "token": TOKEN}),
    "a plugin and a token file": _plugin(before="exit 1", user={**_exec(), "tokenFile": "token"}, files={"token": TOKEN}),
    "a plugin and a password": _plugin(before="exit 1", user={**_exec(), "username": "a", "password": "b"}),
    "a plugin and a certificate": _plugin(before="exit 1", user={**_exec(), **_CERTIFICATE}),
    "a plugin and an auth-provider": _plugin(user={**_exec(), **_oidc()}),
    "a plugin and a user name in the address": _plugin(before="exit 1", cluster=server(server="https://me:SECRET@127.0.0.1:@HTTPS@")),
    "a plugin and as": _plugin(user={**_exec(), "as": "joe"}),
    **{
        f"a plugin and a kuberc {name}": _plugin(
            before="touch @FOLDER@/was-run",
            user=_exec("plugin.sh"),
            env={"PATH": "@FOLDER@:/usr/bin:/bin", **env},
            files={".kube/kuberc": rc},
        )
        for name, rc, env in (
            ("without a policy", _kuberc(), {}),
            ("of AllowAll", _kuberc(credentialPluginPolicy="AllowAll"), {}),
            ("of DenyAll", _kuberc(credentialPluginPolicy="DenyAll"), {}),
            ("of DenyAll, off", _kuberc(credentialPluginPolicy="DenyAll"), {"KUBERC": "off"}),
            ("of DenyAll, disabled", _kuberc(credentialPluginPolicy="DenyAll"), {"KUBECTL_KUBERC": "false"}),
            ("of DenyAll in v1alpha1, which has none", _kuberc("v1alpha1", credentialPluginPolicy="DenyAll"), {}),
            ("of DenyAll after another document", f"kind: X\n---\n{_kuberc(credentialPluginPolicy='DenyAll')}", {}),
            ("of a policy that is none", _kuberc(credentialPluginPolicy="Perhaps"), {}),
            ("that lists its name", _allow("plugin.sh"), {}),
            ("that lists its path", _allow("other", "@FOLDER@/plugin.sh"), {}),
            ("that lists another", _allow("other.sh"), {}),
            ("that lists another of this name", _allow("/elsewhere/plugin.sh"), {}),
            ("that lists nothing", _allow(), {}),
            ("of Allowlist without a list", _kuberc(credentialPluginPolicy="Allowlist"), {}),
            ("of AllowAll with a list", _kuberc(credentialPluginPolicy="AllowAll", credentialPluginAllowlist=[{"command": "x"}]), {}),
            ("that is broken", "a: [b", {}),
            ("that KUBERC names", _kuberc(), {"KUBERC": "@FOLDER@/.kube/kuberc"}),
            ("that is broken and KUBERC names", "a: [b", {"KUBERC": "@FOLDER@/.kube/kuberc"}),
            ("that is missing and KUBERC names", _kuberc(), {"KUBERC": "@FOLDER@/nothere"}),
        )
    },
}

_POD = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": "@HTTPS@"}


def _pod(*, env: Any = _POD, args: Any = (), kubeconfig: str = "", **files: str) -> Case:
    """A pod with a service account, whose files are below `pod/`."""
    account = {"pod/token": files.pop("token", TOKEN), "pod/ca.crt": files.pop("authority", pem("ca.crt")), "pod/namespace": "here"}
    return Case({**account, **files}, kubeconfig, args, env)


PODS = {
    "a pod": _pod(),
    "a pod whose token has a newline": _pod(token=f"{TOKEN}\n"),
    "a pod whose token is empty": _pod(token=""),
    "a pod whose authority is garbage": _pod(authority="garbage"),
    "a pod without a port": _pod(env={"KUBERNETES_SERVICE_HOST": "127.0.0.1"}),
    "a pod and a kubeconfig": _pod(**{".kube/config": config(user={"token": "other"})}),
    "a pod and --kubeconfig": _pod(kubeconfig="@FOLDER@/a", a=config(user={"token": "other"})),
    "a pod and --kubeconfig that is empty": _pod(kubeconfig="@FOLDER@/a", a=""),
    "a pod and --kubeconfig that is missing": _pod(kubeconfig="@FOLDER@/a"),
    "a pod and an empty kubeconfig": _pod(**{".kube/config": ""}),
    "a pod and a broken kubeconfig": _pod(**{".kube/config": "a: [b"}),
    "a pod and a kubeconfig without a current context": _pod(**{".kube/config": config(current="")}),
    "a pod and a kubeconfig with another current context": _pod(**{".kube/config": config(current="nope")}),
    "a pod and a context without its cluster": _pod(**{".kube/config": config(clusters=[])}),
    "a pod and a cluster without a server": _pod(**{".kube/config": config({"insecure-skip-tls-verify": True})}),
    "a pod and KUBECONFIG of files that are missing": _pod(env={**_POD, "KUBECONFIG": "@FOLDER@/nothere"}),
    "a pod and --context": _pod(args=("--context", "c1")),
    "a pod and HTTPS_PROXY": _pod(env={**_POD, "KUBERNETES_SERVICE_HOST": "0.0.0.0", "HTTPS_PROXY": "http://127.0.0.1:@PROXY@"}),
}

_TOP = {"files": FILES, "contexts": CONTEXTS, "users": USERS, "servers": SERVERS, "proxies": PROXIES, "plugins": PLUGINS, "pods": PODS}
CASES: dict[str, Case] = {f"{part}: {name}": case for part, cases in _TOP.items() for name, case in cases.items()}

DIFFERENCES = {
    "pods: a pod and a context without its cluster": "kubectl asks the cluster of the pod, which nobody has named",
    "pods: a pod and a cluster without a server": "kubectl asks the cluster of the pod, which nobody has named",
}
"""What preflight refuses on purpose, and why."""
