"""What operations return, besides the records of `promptwire`; and what reads, counts and encodes results."""

from __future__ import annotations

from .answers.answer import Candidate, Usage
from .answers.api_error import ApiError
from .answers.batch_results import BatchResult
from .answers.coverage import Coverage
from .answers.stream import Stream
from .answers.stream_writer import StreamWriter
from .api import answer_coverage, read_batch_result
from .build.encoding import CachePrefix
from .build.fragments import ConversationEncoder
from .linting.explaining import Explanation
from .linting.support import Support

__all__ = [
    "ApiError", "BatchResult", "CachePrefix", "Candidate", "ConversationEncoder", "Coverage", "Explanation", "Stream",
    "StreamWriter", "Support", "Usage", "answer_coverage", "read_batch_result",
]  # fmt: skip
