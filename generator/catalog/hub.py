"""What the Hugging Face Hub says of a model: its record and its `config.json`, both of one commit.

Two requests over HTTP, as huggingface_hub makes them (`/api/models/{id}/revision/{revision}` and
`/{id}/resolve/{commit}/config.json`), so that nobody has to install it for them. `HF_ENDPOINT` names another server,
`HF_TOKEN` opens gated repositories, as they do there; the token goes to that server alone.
"""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, Any

from generator.errors import TrainfitError

OFFICIAL = "https://huggingface.co"
REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*", re.ASCII)
"""Owner and name of a repository."""
_COMMIT = re.compile(r"[0-9a-f]{40}")
MAX_BYTES = 4 * 1024 * 1024
"""Largest answer that is read."""
TIMEOUT = 30.0
"""Seconds without a byte after which a request is given up."""


AS_A_FILE = "without the Hub: get config.json in another way and add it as a file, with --hugging-face owner/name"


class HubError(TrainfitError):
    """The Hub has no such model, or does not answer as it should."""


@dataclass(frozen=True, slots=True)
class HubModel:
    """A model as the Hub knows it at one commit."""

    repository: str
    commit: str
    config: Any
    """Content of config.json."""
    record: Mapping[str, Any]
    """What the API says of the repository."""
    endpoint: str = OFFICIAL

    @property
    def official(self) -> bool:
        """Whether it was read at the Hub itself, and not at a mirror."""
        return self.endpoint == OFFICIAL

    @property
    def licence(self) -> str | None:
        """The licence in the head of the card: its id, or its name where the id is `other`."""
        card = self.record.get("cardData")
        found = [card.get(key) for key in ("license", "license_name")] if isinstance(card, Mapping) else []
        return next((each for each in found if isinstance(each, str) and each not in ("", "other", "unknown")), None)

    @property
    def gated(self) -> bool | None:
        """Whether the files open only after consent; none where the record does not say."""
        gated = self.record.get("gated")
        return gated if isinstance(gated, bool) else True if gated in ("auto", "manual") else None

    @property
    def created(self) -> str | None:
        """Day on which the repository was made."""
        created = self.record.get("createdAt")
        return created[:10] if isinstance(created, str) and re.match(r"\d{4}-\d{2}-\d{2}", created) else None

    @property
    def elements(self) -> int | None:
        """Elements of all tensors of the checkpoint."""
        tensors = self.record.get("safetensors")
        total = tensors.get("total") if isinstance(tensors, Mapping) else None
        return total if type(total) is int and total > 0 else None


def read_model(repository: str, revision: str = "main") -> HubModel:
    """The model at a branch, tag or commit; raises HubError, saying what to do."""
    if not REPOSITORY.fullmatch(repository):
        raise HubError(f"expected the id of a model as `owner/name`, found {repository[:120]!r}")
    endpoint = _endpoint()
    name = urllib.parse.quote(revision, safe="")
    record = _json(f"{endpoint}/api/models/{repository}/revision/{name}", endpoint, repository)
    if not isinstance(record, Mapping):
        raise HubError(f"{repository}: expected the record of a model, found something else")
    commit = record.get("sha")
    if not isinstance(commit, str) or not _COMMIT.fullmatch(commit):
        raise HubError(f"{repository}: expected the commit of {revision[:60]!r}, found none in the answer of the Hub")
    config = _json(f"{endpoint}/{repository}/resolve/{commit}/config.json", endpoint, repository)
    return HubModel(repository, commit, config, record, endpoint)


def _endpoint() -> str:
    endpoint = os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or OFFICIAL
    parts = urllib.parse.urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise HubError(f"HF_ENDPOINT: expected an http(s) address, found {endpoint[:120]!r}")
    return endpoint


def _json(url: str, endpoint: str, repository: str) -> Any:
    request = urllib.request.Request(url, headers={"User-Agent": "trainfit", "Accept": "application/json"})  # noqa: S310
    token = os.environ.get("HF_TOKEN", "").strip()
    if token:
        request.add_unredirected_header("Authorization", f"Bearer {token}")
    try:
        with urllib.request.build_opener(_SameServer(endpoint)).open(request, timeout=TIMEOUT) as answer:
            raw = answer.read(MAX_BYTES + 1)
    except urllib.error.HTTPError as error:
        error.close()
        raise HubError(_refusal(error.code, url, repository)) from error
    except (OSError, ValueError) as error:  # URLError among them
        reason = getattr(error, "reason", None) or error
        found = " ".join(str(reason).split())[:200]
        raise HubError(f"{url}: expected an answer, found {found} ({AS_A_FILE})") from error
    if len(raw) > MAX_BYTES:
        raise HubError(f"{url}: expected at most {MAX_BYTES // 1024} KiB, found a longer answer")
    try:
        return json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise HubError(f"{url}: expected JSON in UTF-8, found {type(error).__name__}") from error


def _refusal(status: int, url: str, repository: str) -> str:
    if status in (401, 403):
        return (
            f"{repository}: expected a public repository, found one that is gated, private or not there (status "
            f"{status}): set HF_TOKEN, or download config.json and add it as a file"
        )
    if status == 404:
        return f"{url}: expected a file, found none (status 404): is the id or the revision spelled right?"
    return f"{url}: expected an answer, found status {status}"


class _SameServer(urllib.request.HTTPRedirectHandler):
    """Follows redirects on the server that was asked, and to none else."""

    max_redirections = 5

    def __init__(self, endpoint: str) -> None:
        self._server = urllib.parse.urlsplit(endpoint)[:2]

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """The request for the new address; raises HTTPError where it leads elsewhere."""
        if urllib.parse.urlsplit(newurl)[:2] != self._server:
            raise HubError(f"{req.full_url}: expected the file, found a redirect to another server: {newurl[:200]}")
        follow = super().redirect_request(req, fp, code, msg, headers, newurl)
        authorization = req.unredirected_hdrs.get("Authorization")
        if follow is not None and authorization:
            follow.add_unredirected_header("Authorization", authorization)
        return follow
