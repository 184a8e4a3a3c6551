"""The built-in assessor: a small trained head and text rules, without key or network."""

from assessor.local.judgement import LocalJudgement, judge

__all__ = ["LocalJudgement", "judge"]
