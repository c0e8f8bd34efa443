"""Spans and metrics by the GenAI semantic conventions of OpenTelemetry. Needs its API: the extra `otel`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib import import_module
from inspect import isawaitable
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import urlsplit

from promptwire_runtime import Answer, ToolCall
from promptwire_runtime.steps import is_asynchronous

from ..errors import ApiStatusError
from .telemetry_content import content_attributes, json_text, output_attributes

if TYPE_CHECKING:
    from promptwire_runtime.parts import CustomToolCall

    from ..model_calls import CallSteps, ModelCall

# the options of a request -> the attributes that state them
_OPTIONS = {
    "max_tokens": "max_tokens",
    "temperature": "temperature",
    "top_p": "top_p",
    "top_k": "top_k",
    "frequency_penalty": "frequency_penalty",
    "presence_penalty": "presence_penalty",
    "seed": "seed",
    "stop": "stop_sequences",
}
# token counts of ours -> attributes
_USAGE = {
    "input": "input_tokens",
    "output": "output_tokens",
    "cache_read": "cache_read.input_tokens",
    "cache_write": "cache_creation.input_tokens",
    "reasoning": "reasoning.output_tokens",
}
_TOKEN_BOUNDARIES = [4**power for power in range(14)]
_SECOND_BOUNDARIES = [0.01 * 2**power for power in range(14)]


def telemetry(*, tracer_provider: Any = None, meter_provider: Any = None, content: bool = False) -> Telemetry:
    """Return middleware that reports each call of a model and each function of a run to OpenTelemetry.

    A call is a span `chat MODEL` with model, options, finish reasons, token usage and errors, and its duration and
    tokens are metrics. A function is a span `execute_tool NAME`.

    Args:
        tracer_provider: The provider of spans; by default the global one.
        meter_provider: The provider of metrics; by default the global one.
        content: Whether spans have messages, instructions, tools, arguments, results and the texts of errors of
            functions, which may be personal data.

    Raises:
        ModuleNotFoundError: OpenTelemetry's API is not installed.
    """
    return Telemetry(tracer_provider, meter_provider, content=content)


class Telemetry:
    """The middleware of `telemetry`."""

    def __init__(self, tracer_provider: Any, meter_provider: Any, *, content: bool) -> None:
        """Create the tracer and the instruments."""
        try:
            # no dependency of ours
            self._trace: Any = import_module("opentelemetry.trace")
            metrics: Any = import_module("opentelemetry.metrics")
        except ImportError:
            raise ModuleNotFoundError(
                'telemetry needs opentelemetry-api: pip install "promptwire[otel]"', name="opentelemetry"
            ) from None
        self._content = content
        self._tracer = self._trace.get_tracer("promptwire", tracer_provider=tracer_provider)
        meter = metrics.get_meter("promptwire", meter_provider=meter_provider)
        self._tokens = meter.create_histogram(
            "gen_ai.client.token.usage",
            unit="{token}",
            description="Number of input and output tokens used.",
            explicit_bucket_boundaries_advisory=_TOKEN_BOUNDARIES,
        )
        self._seconds = meter.create_histogram(
            "gen_ai.client.operation.duration",
            unit="s",
            description="GenAI operation duration.",
            explicit_bucket_boundaries_advisory=_SECOND_BOUNDARIES,
        )

    def __call__(self, call: ModelCall) -> CallSteps:
        """Report one call of a model."""
        common = _common_attributes(call)
        span = self._tracer.start_span(
            f"chat {call.request.model}",
            kind=self._trace.SpanKind.CLIENT,
            attributes={**common, **_request_attributes(call)},
        )
        error: Exception | None = None
        try:
            if self._content:
                span.set_attributes(content_attributes(call.request))
            answer = yield call
            self._report_answer(span, call, answer, common)
        except Exception as failure:
            error = failure
            self._report_error(span, failure)
            raise
        finally:
            ending = {"error.type": _error_type(error)} if error is not None else {}
            if call.seconds is not None:
                self._seconds.record(call.seconds, {**common, **ending})
            span.end()
        return answer

    def around_function(
        self, call: ToolCall | CustomToolCall, function: Callable[[], Any]
    ) -> Callable[[], Any]:
        """Return the function of a call with a span around it, and around awaiting what it returns."""

        async def waiting() -> Any:
            """Await the function."""
            span = self._start_span(call)
            with self._within(span):
                return self._with_result(span, await function())

        def called() -> Any:
            """Call the function."""
            span = self._start_span(call)
            with self._within(span) as scope:
                value = function()
                scope.ends = not isawaitable(value)
                return self._with_result(span, value) if scope.ends else self._await_in(span, value)

        # a task or thread of its own has no other context
        return waiting if is_asynchronous(function) else called

    def _start_span(self, call: ToolCall | CustomToolCall) -> Any:
        attributes: dict[str, Any] = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.type": "function",
        }
        if call.id is not None:
            attributes["gen_ai.tool.call.id"] = call.id
        if self._content:
            attributes["gen_ai.tool.call.arguments"] = json_text(call.parsed_arguments)
        return self._tracer.start_span(f"execute_tool {call.name}", attributes=attributes)

    def _within(self, span: Any) -> _FunctionScope:
        # the text of an error is told to the model as the result
        current = self._trace.use_span(
            span, record_exception=self._content, set_status_on_exception=self._content
        )
        return _FunctionScope(span, current, self._trace.Status(self._trace.StatusCode.ERROR))

    async def _await_in(self, span: Any, value: Awaitable[Any]) -> Any:
        with self._within(span):
            return self._with_result(span, await value)

    def _with_result(self, span: Any, value: Any) -> Any:
        if self._content:
            span.set_attribute(
                "gen_ai.tool.call.result", value if isinstance(value, str) else json_text(value)
            )
        return value

    def _report_answer(self, span: Any, call: ModelCall, answer: Answer, common: dict[str, Any]) -> None:
        attributes: dict[str, Any] = {"gen_ai.response.id": answer.id, "gen_ai.response.model": answer.model}
        finishes = [candidate.finish for candidate in answer.candidates if candidate.finish is not None]
        attributes["gen_ai.response.finish_reasons"] = finishes or None
        attributes["gen_ai.response.time_to_first_chunk"] = call.seconds_to_first
        for ours, theirs in _USAGE.items():
            attributes[f"gen_ai.usage.{theirs}"] = getattr(answer.usage, ours, None)
        span.set_attributes({name: value for name, value in attributes.items() if value is not None})
        if self._content:
            span.set_attributes(output_attributes(answer))
        metered = {**common, **({"gen_ai.response.model": answer.model} if answer.model else {})}
        for kind in ("input", "output"):
            count = getattr(answer.usage, kind, None)
            if count is not None:
                self._tokens.record(count, {**metered, "gen_ai.token.type": kind})

    def _report_error(self, span: Any, error: Exception) -> None:
        span.set_attribute("error.type", _error_type(error))
        span.record_exception(error)
        span.set_status(self._trace.Status(self._trace.StatusCode.ERROR, str(error)))


class _FunctionScope:
    """Makes a span the current one, states the type of an error, and ends the span.

    Attributes:
        ends: Whether the span ends here, and not where an awaitable is awaited. An error always ends it.
    """

    def __init__(self, span: Any, current: Any, failed: Any) -> None:
        self.ends = True
        self._span = span
        self._current = current
        self._failed = failed

    def __enter__(self) -> Self:
        self._current.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> Any:
        try:
            if kind is not None:
                self._span.set_attribute("error.type", kind.__qualname__)
                self._span.set_status(self._failed)
            return self._current.__exit__(kind, error, trace)
        finally:
            if self.ends or kind is not None:
                self._span.end()


def _common_attributes(call: ModelCall) -> dict[str, Any]:
    place = urlsplit(call.built.shown_url)
    attributes: dict[str, Any] = {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": call.api.WIRE.provider or call.api.WIRE.name,
        "gen_ai.request.model": call.request.model or "",
        "server.address": place.hostname or "",
    }
    port = place.port or {"https": 443, "http": 80}.get(place.scheme)
    return attributes | ({"server.port": port} if port else {})


def _request_attributes(call: ModelCall) -> dict[str, Any]:
    request = call.request
    attributes: dict[str, Any] = {"gen_ai.request.stream": True} if call.streamed else {}
    for ours, theirs in _OPTIONS.items():
        value: Any = getattr(request.options, ours)
        if value is not None:
            attributes[f"gen_ai.request.{theirs}"] = (
                value if isinstance(value, int | float | str) else list(value)
            )
    if request.options.n not in (None, 1):
        attributes["gen_ai.request.choice.count"] = request.options.n
    if request.response_format is not None:
        kind = request.response_format.kind
        attributes["gen_ai.output.type"] = "json" if kind.startswith("json") else "text"
    return attributes


def _error_type(error: Exception) -> str:
    if isinstance(error, ApiStatusError) and error.error.status is not None:
        return str(error.error.status)
    return type(error).__qualname__
