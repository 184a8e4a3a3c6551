"""The assessor that needs no key and no network: a small trained head, and rules for the words."""

from assessor.local.judgement import LocalJudgement, judge

__all__ = ["LocalJudgement", "judge"]
