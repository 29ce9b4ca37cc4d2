"""Tokens by turn, out of counts that only ever say the total so far."""

from __future__ import annotations

from dataclasses import dataclass

from importers.codex.shapes import TokenInfo, TokenUsage


@dataclass(slots=True)
class TokenCounter:
    """Tells what was used between one ``token_count`` and the next."""

    _total: TokenUsage | None = None

    def used(self, info: TokenInfo) -> TokenUsage | None:
        """What was used since the last count; the same total again is no new use."""
        total, before = info.total_token_usage, self._total
        if total is None or total == before:
            return None
        self._total = total
        if before is None or total.input_tokens < before.input_tokens:
            # The first count of a file goes on from what it inherits.
            return info.last_token_usage
        return _minus(total, before)


def plus(left: TokenUsage | None, right: TokenUsage) -> TokenUsage:
    """Both together."""
    if left is None:
        return right
    return TokenUsage(
        left.input_tokens + right.input_tokens,
        left.cached_input_tokens + right.cached_input_tokens,
        left.output_tokens + right.output_tokens,
        left.reasoning_output_tokens + right.reasoning_output_tokens,
    )


def _minus(left: TokenUsage, right: TokenUsage) -> TokenUsage:
    """What came to it; a count that is missing where it had been there takes nothing back."""
    return TokenUsage(
        max(0, left.input_tokens - right.input_tokens),
        max(0, left.cached_input_tokens - right.cached_input_tokens),
        max(0, left.output_tokens - right.output_tokens),
        max(0, left.reasoning_output_tokens - right.reasoning_output_tokens),
    )
