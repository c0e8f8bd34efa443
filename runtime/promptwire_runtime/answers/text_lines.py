"""Bytes of a stream, in any pieces, to lines of text."""

from __future__ import annotations

from codecs import getincrementaldecoder

from ..errors import AnswerError


class TextLines:
    """Text cut at its line breaks: LF, CR or both. No line is longer than `most` characters."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._decode = getincrementaldecoder("utf-8-sig")("replace").decode
        self._pieces: list[str] = []
        self._length = 0
        self._after_return = False

    def feed(self, chunk: bytes) -> list[str]:
        """Return the lines that end in these bytes."""
        return self._cut(self._decode(chunk))

    def close(self) -> list[str]:
        """Return the remaining text as the last line, which may be empty."""
        lines = self._cut(self._decode(b"", True))
        return [*lines, "".join(self._pieces)]

    def _cut(self, text: str) -> list[str]:
        if self._length > self._most:
            raise AnswerError("a line of the stream is longer than 64 MiB")
        if self._after_return and text:
            text = text.removeprefix("\n")
            self._after_return = False
        if not text:
            return []
        self._after_return = text.endswith("\r")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        *lines, rest = text.split("\n")
        if lines and self._pieces:
            lines[0] = "".join([*self._pieces, lines[0]])
            self._pieces, self._length = [], 0
        if rest:
            self._pieces.append(rest)
            self._length += len(rest)
        return lines
