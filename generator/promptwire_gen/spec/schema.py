"""The schema of a spec, without the inside of its shapes. Editors show these descriptions."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BeforeValidator, Field

from .answer_sections import AnswerSection, StreamSection
from .citing import Cited
from .client_sections import BatchSpec, ClientSpec, Sdk
from .declared import Asks, Facts, FamilyUse, Groups, ModelFacts, Names, Needs
from .fields import (
    BodyShape,
    Dated,
    Day,
    EnvName,
    FamilyPattern,
    Header,
    Line,
    Link,
    Many,
    MessageShapes,
    Name,
    OneOrMany,
    OptionalHeader,
    PartShapes,
    Pattern,
    PlainValue,
    Prose,
    SettingValue,
    Strict,
    Support,
    UnionShapes,
    Url,
    WireName,
    Word,
    as_forms,
    conditional,
    flag,
    listed,
    maybe,
    named,
)
from .fixes import FIX, Fix
from .rule_conditions import Conditions

SentAgain: TypeAlias = Literal["omit", "resend", "if_changed"]
SettingValues: TypeAlias = dict[Word, Annotated[tuple[Line, ...], Many, OneOrMany]]


class TransportCondition(Strict):
    """A condition on the request and the settings; everything that it names must hold."""

    stream: bool | None = maybe("Whether the request asks for a stream.")
    settings: SettingValues = named("Setting to its value, or to several of which one must be given.")

    @property
    def always(self) -> bool:
        """Return whether no condition is named."""
        return self.stream is None and not self.settings

    def covers(self, other: TransportCondition) -> bool:
        """Return whether this holds wherever the other does."""
        return self.stream in (None, other.stream) and all(
            name in other.settings and set(other.settings[name]) <= set(values)
            for name, values in self.settings.items()
        )


class UrlFormSpec(Strict):
    """One form of the URL."""

    url: Url = Field(description="The address; ${model} and ${setting} are holes, also as ${model|segment}.")
    when: TransportCondition = Field(
        default=TransportCondition(), description="When it is written; it is read in any case."
    )

    @property
    def continued(self) -> str | None:
        """The continuation field in the URL; the form is not written without it."""
        named = re.search(r"\$\{continuation\.([a-z]+)", self.url)
        return named[1] if named is not None else None


UrlForms: TypeAlias = Annotated[
    tuple[UrlFormSpec, ...],
    Many,
    BeforeValidator(as_forms, json_schema_input_type=Url | list[Url | UrlFormSpec]),
]


class Auth(Strict):
    """One way to authenticate: a header with a credential, or a signature that the caller makes."""

    header: Header | None = maybe("The header's name; it is written when its setting is given.")
    value: Line | None = maybe('The header\'s value with the credential as a hole: "Bearer ${api_key}".')
    sign: Literal["aws_sigv4"] | None = maybe("Instead of a header: how the caller signs the request.")
    service: Line | None = maybe("For sign: the service that is signed for.")
    region: Line | None = maybe('For sign: the region, such as "${region}".')
    env: EnvName | None = maybe("The environment variable that usually holds it; never read.")
    when: TransportCondition = Field(default=TransportCondition(), description="When this way is open.")
    optional: bool = flag("Whether requests may go without: then no placeholder stands for it.")


class SettingSpec(Strict):
    """A value that the caller can set beside the request, used in the URL or in a header."""

    default: SettingValue | None = maybe("Used when the caller gives none.")
    choices: Annotated[tuple[Line, ...], Many] | None = maybe("The values that are accepted.")
    type: Literal["text", "list"] = Field(
        default="text", description="`list`: several texts, for a filter such as comma."
    )
    required: bool = flag("Whether building without it is an error.")
    stands_for: Literal["model"] | None = maybe(
        "model: when given, rules look at it instead of the request's model."
    )
    doc: Prose | None = maybe("One sentence for the generated docstring.")


class TransportSection(Strict):
    """The URL of a request and its headers."""

    local: Literal[True] | None = maybe("A runtime in the caller's own process: a body, and nothing to send.")
    method: Literal["POST", "GET"] | None = maybe("The HTTP method.")
    url: UrlForms = listed(
        "The address, or its forms: the first whose `when` holds is written, all are read."
    )
    headers: dict[OptionalHeader, Line] = named(
        "Header to value with holes; a name with ? is left out when no hole is filled."
    )
    stream_headers: dict[Header, Line] = named("Headers that ask for a stream, with their constant values.")
    auth: Annotated[tuple[Auth, ...], Many] = listed(
        "The first whose setting is given; else one that signs; else the first with a placeholder."
    )
    settings: dict[Word, SettingSpec] = named("The settings that url and headers use.")
    batches: dict[Word, BatchSpec] = named(
        "The services that run requests of this API in batches, by name: the first whose `when` holds is meant."
    )


class InstructionsSection(Strict):
    """Placement of instructions, and how several are combined."""

    native: Support = Field(description="Whether the API has a field of its own for them.")
    placement: Literal["top_level", "first_message"] | None = maybe("Where they stand.")
    field: Name | None = maybe("The body's key, for top_level.")
    several: Literal["blocks", "parts", "join"] | None = maybe(
        "What becomes of several layers: a list of blocks, parts of one message, or one text."
    )
    role: Literal["system", "developer", "user"] | None = maybe("The message's role, for first_message.")
    mid_conversation: Literal["native", "none", "by_rule", "unknown"] | None = maybe(
        "Whether instructions may also stand later in the conversation."
    )
    lone: bool = flag("Whether the only element of their list may stand without it: it is read, not written.")

    @property
    def hoists(self) -> bool:
        """Return whether leading system and developer messages are hoisted into the instructions."""
        return self.placement == "top_level" and self.mid_conversation != "native"

    @property
    def joins(self) -> bool:
        """Return whether the texts of several layers become one."""
        return self.several in (None, "join")

    @property
    def speaker(self) -> str:
        """The role of instructions that are messages."""
        return self.role or "system"


THINGS = ("items", "instructions", "tools")


class ContinuationSection(Strict):
    """Continuation of a conversation: what the server keeps, and what is sent again."""

    mode: Literal["resend", "server"] = Field(
        description="resend: all of it again; server: only what is new."
    )
    fields: Annotated[tuple[Name, ...], Many] = listed(
        "For server: the body's keys that name what is held; none where the URL does."
    )
    keeps: Annotated[tuple[Name, ...], Many] = listed(
        "For server: what it keeps: items (the messages), instructions, tools, other fields of a request."
    )
    items: SentAgain | None = maybe("For server: what becomes of the messages that it was sent before.")
    instructions: SentAgain | None = maybe("For server: what becomes of the instructions.")
    tools: SentAgain | None = maybe("For server: what becomes of the tools.")
    binds: Annotated[tuple[Word, ...], Many] = listed(
        "For server: where an id is known: for the same model, for the same value of a setting."
    )
    begins: dict[Name, Any] = named("For server: own options that make it keep what is sent.")

    @property
    def omits(self) -> tuple[str, ...]:
        """The request fields that a continuing request always omits; an option of the API is `vendor.name`."""
        return (*self._list_words("omit"), *[name for name in self.keeps if name not in THINGS])

    @property
    def spares(self) -> tuple[str, ...]:
        """The request fields that are omitted while they are unchanged."""
        return self._list_words("if_changed")

    def _list_words(self, word: SentAgain) -> tuple[str, ...]:
        """Return the request fields, messages aside, of which the section says this word."""
        return tuple([name for name in ("instructions", "tools") if getattr(self, name) == word])


class Search(Strict):
    """A tool of the API, as a neutral hosted tool."""

    type: Word = Field(description="The API's word for the tool.")
    name: Name | None = maybe("The name that its calls have.")


class Deferral(Strict):
    """Deferral of functions until a model searches for them."""

    search: Search = Field(description="The tool of the API that finds what is deferred.")
    model: Names = listed("Globs of models that are known to do it; none: only who asks for it gets it.")
    not_model: Names = listed("Globs of models that do not, though a glob of `model` fits.")
    source: Cited | None = maybe("Who says so, and when.")


class Tools(Strict):
    """Declaration and choice of tools."""

    format: Word = Field(
        description="The form of a function: openai, openai_responses, anthropic, gemini, bedrock, or its own word."
    )
    names: Pattern | None = maybe("The pattern that a tool's name must match.")
    unique: bool = flag("Whether the API refuses two tools of one name.")
    choice: Annotated[tuple[Word, ...], Many] = listed("The tool_choice modes that shapes exist for.")
    dialect: Word | None = maybe(
        "The JSON Schema dialect of a plugin that the parameters of functions are put in."
    )
    group_under: Name | None = maybe(
        "The key under which all function tools stand in one element of the list."
    )
    deferral: Deferral | None = maybe("How the API keeps functions back itself, and for which models.")
    waiting: dict[Word, dict[Name, PlainValue]] = named(
        "Types of hosted calls that the caller runs and must answer, and the keys that say so where not all do."
    )
    answered: Annotated[tuple[Word, ...], Many] = listed(
        "Types of hosted calls that the API answers itself, and refuses without their results."
    )


class Unions(Strict):
    """Shapes of unions; a key is kind#variant."""

    instruction: UnionShapes | None = maybe("`layer`: one layer of the instructions.")
    tool: UnionShapes | None = maybe("`function`, `custom`, `group`, `hosted`.")
    tool_choice: UnionShapes | None = maybe("One shape a mode.")
    response_format: UnionShapes | None = maybe("One shape a kind of format.")
    reasoning: UnionShapes | None = maybe("One shape a mode of reasoning.")
    cache: UnionShapes | None = maybe("`mark`: a cache mark on a part, a tool or the request.")


class When(Strict):
    """The conditions of a rule; all that are named must hold, none named is always."""

    model: Names = listed("Globs, one of which fits the model.")
    not_model: Names = listed("Globs, none of which fits.")
    models: Names = listed("Groups of models, one of which holds the model.")
    settings: SettingValues = named("Setting to its value, or to several of which one must be given.")
    given: Conditions = conditional(
        "Conditions that are all met: reasoning.budget, {reasoning.effort: [none, low]}."
    )
    unless: Conditions = conditional("Conditions of which none is met: the rule does not hold beside them.")


class PromptTemplateSpec(Strict):
    """The marks between which one family of models expects a conversation, where the body holds it as one text."""

    models: Names = listed("Globs, one of which fits the model; none for all models.")
    begin: str = Field(default="", description="The text before all messages.")
    system: str | None = maybe("The system message, with its text as ${text}.")
    user: str = Field(description="A message of the user, with its text as ${text}.")
    assistant: str | None = maybe("A message of the assistant, with its text as ${text}.")
    end: str = Field(default="", description="The text behind all messages, which the model continues.")
    source: Cited = Field(description="Who says so, dated: names of sources.yaml, or text.")


class Signatures(Strict):
    """Which models accept the signatures and the encrypted reasoning of which others."""

    family: FamilyPattern = Field(
        description="A regular expression whose first group is the family in the name of a model."
    )
    reads: dict[Line, Annotated[tuple[Line, ...], Many, OneOrMany]] = named(
        "A family to the other families whose payloads its models accept."
    )
    source: Cited = Field(description="Who says so, dated: names of sources.yaml, or text.")


class RuleSection(Dated):
    """A rule of one model or setting: the values that it refuses, allows or renames. Later rules win."""

    when: When = Field(default_factory=When, description="When the rule applies.")
    reject: Conditions = conditional(
        "What is refused: temperature, {message.role: system}, {reasoning.effort: [max, xhigh]}."
    )
    allow: Conditions = conditional("What an earlier rule refuses, and this not.")
    rename: dict[Name, Name] = named(
        "Key of the body, or messages[].KEY, to the alias that is written instead."
    )
    set: dict[Name, Any] = named("Facts of this spec that change: instructions.role.")
    fix: Fix | None = maybe(FIX)
    because: Prose = Field(description="Why, in one line; it stands in the error.")
    source: Cited = Field(description="Who says so, dated: names of sources.yaml, or text.")


class ExpectedError(Strict):
    """The error that a build must raise."""

    kind: Literal["MissingField", "NoPlace", "Refused"] = Field(description="The error's class.")
    field: Line | None = maybe("The neutral field that the error names.")


class Example(Strict):
    """A neutral request and the expected body or error. Each example becomes a test."""

    name: Line = Field(description="One line, different from all others of this spec.")
    request: dict[str, Any] = Field(description="The neutral request.")
    settings: dict[Word, SettingValue] = named("Settings of the build.")
    policies: dict[Word, Word] = named("Policies of the build.")
    day: Day | None = maybe("The day of the build, where facts have a day; by default that of the test.")
    body: dict[str, Any] | None = maybe("The exact body.")
    error: ExpectedError | None = maybe("What the build raises.")
    headers: dict[Header, str] | None = maybe("Headers that must be there; others may be, too.")
    url: Url | None = maybe("The exact URL.")


class Spec(Strict):
    """The request format of one API."""

    wire: WireName = Field(description="The name, the same as the file's: of the API, not of the company.")
    title: Line = Field(description="A readable title.")
    provider: Line | None = maybe(
        "gen_ai.provider.name in OpenTelemetry's conventions; by default the first word of `wire`."
    )
    docs: Annotated[tuple[Link, ...], Many, OneOrMany] = listed("The vendor's page, or several.")
    recorded: Names = listed("Other names of this API in recorded requests: api, wire, or api/wire.")
    extends: WireName | None = maybe("Another spec; this one is a merge patch over it.")
    abstract: bool = flag("Whether it is there to be extended only: what several APIs have in common.")
    transport: TransportSection = Field(description="Method, URL, headers, settings.")
    instructions: InstructionsSection = Field(description="Where instructions go.")
    continuation: ContinuationSection = Field(description="How a conversation goes on.")
    tools: Tools | None = maybe("How tools are described and chosen.")
    body: BodyShape = Field(description="The shape of the whole body.")
    delivery: Literal["structured", "transcript"] = Field(
        default="structured",
        description="How an evaluation case is sent: as messages, or as one text, the transcript, for agents.",
    )
    slots: dict[Word, Literal["list", "one"]] = named(
        "Lists or single values of a message that parts land in, in reading order."
    )
    messages: MessageShapes = Field(description="One shape a role.")
    prompt: Annotated[tuple[PromptTemplateSpec, ...], Many] = listed(
        "Where $messages is one text: its templates, the first that fits the model is written, all are read."
    )
    speaker: Name = Field(default="role", description="The key of a message that says whose it is.")
    unions: Unions = Field(default=Unions(), description="Shapes of things of several kinds.")
    parts: PartShapes = Field(description="One shape a part kind and source: kind.source#variant@roles>slot.")
    marks: UnionShapes | None = maybe("`cache`: an element of its own that marks the element before it.")
    aliases: Literal["snake"] | None = maybe(
        "snake: keys of shapes are read in snake_case as well; camelCase is written."
    )
    flat_items: bool = flag("Whether items stand alone in one flat list and form messages when read.")
    lone_message: Literal["text", "item"] | None = maybe(
        "What also stands for the list of messages: one text of the user, or that and one item."
    )
    whole_with: Annotated[tuple[Name, ...], Many] = listed(
        "Fields beside which an assistant message has its optional constants, and a list as its content: [id, status]."
    )
    whole_lists: Annotated[tuple[Name, ...], Many] = listed(
        "Keys of the parts of such a message that are an empty list where nothing is given: [annotations]."
    )
    passes: Annotated[tuple[Word, ...], Many] = listed(
        "Steps over the messages: merge_neighbours, merge_speakers, drop_blank_text, a plugin's."
    )
    defaults: dict[Name, PlainValue] = named(
        "What the API does anyway, without a place in its body: {n: 1, response_format.strict: true}."
    )
    signatures: Signatures | None = maybe(
        "Which models accept the signatures and the encrypted reasoning of which others."
    )
    values: Facts = named("Which values a field takes: {temperature: {maximum: 2, source: page}}.")
    needs: Needs = named("What a field needs beside it: {top_logprobs: {given: {logprobs: true}}}.")
    asks: Asks = named("A list among the settings to fields, and the word each asks for.")
    families: dict[Word, FamilyUse | None] = named(
        "The families of models that the API serves: models/NAME.yaml."
    )
    hosts: Names = listed("Hosts that speak this API, whose facts win at their addresses: hosts/NAME.yaml.")
    groups: Groups = named("Groups of models, by globs of their names.")
    models: ModelFacts = named("Which values of a field a group of models takes.")
    rules: Annotated[tuple[RuleSection, ...], Many] = listed("What one model or setting refuses or renames.")
    answer: AnswerSection | None = maybe("What the API answers.")
    stream: StreamSection | None = maybe("How an answer comes in pieces.")
    clients: dict[Line, ClientSpec] = named(
        "What clients of other people take: the client's package to its calls."
    )
    sdks: dict[Line, Sdk] = named("Whose types the shapes are compared with: the SDK's package to its types.")
    examples: Annotated[tuple[Example, ...], Many] = listed("Requests and their exact bodies.")


SHAPE_SECTIONS = ("body", "messages", "unions", "parts", "marks")
