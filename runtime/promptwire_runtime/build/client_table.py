"""What one client of somebody else takes for a request of one wire, as a spec states it."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record
from ..typed import Mapping, new_dict


@dataclass(frozen=True, eq=False, repr=False)
class Call(Record):
    """One method of a client.

    end     how the URLs end that it sends to: `${argument}` is a piece that is an argument, `*` one that is not
    name    the method, from the client on; `stream` another one for streamed requests
    takes   what this method takes, where it is not what the client's others take
    types   `module:Class` of the client's own body, which is asked what of the arguments it would lose
    """

    end: str
    name: str
    stream: str = ""
    takes: Mapping[str, str] = field(default_factory=new_dict)
    types: str = ""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Client(Record):
    """What a client takes.

    version  the client's version that this was read from
    takes    keys of the body, or keys inside a key (`generationConfig.topK`) -> the argument, or a key inside one
    says     keys of the body that the methods write by themselves
    needs    arguments without which there is no call
    body     the argument that takes the whole body as JSON text
    rest     the argument for all other keys of the body
    headers  header, or `*` for all others -> the argument
    query    the argument for parameters of the URL
    bytes    where base64 of the body is bytes for the client
    adds     keys that the client puts into answers, and the API has not
    snake    `takes` names keys in snake_case, however the body writes them
    """

    version: str
    calls: tuple[Call, ...]
    takes: Mapping[str, str] = field(default_factory=new_dict)
    says: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    body: str = ""
    rest: str = ""
    headers: Mapping[str, str] = field(default_factory=new_dict)
    query: str = ""
    bytes: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    snake: bool = False
