"""One lesson for what a table sums up and a part of the review explains."""

from __future__ import annotations

from support import marked_review

from relay_git.lessons.document import read_document

SUMMED_UP = """
          # Audit

          | # | Severity | Finding |
          |---|---|---|
          | 1 | High | Token is logged in plain text |
          | 2 | Low | Misspelt flag name |

          ## Findings

        E ### 1. High: the token is logged in plain text

          Anyone who reads the log has it.

        I ### 2. Low: misspelt name of the flag

          It says `--verbsoe`.
"""

ALONE = """
          # Audit

          The token and the flag are discussed below.

          | # | Severity | Finding |
          |---|---|---|
        E | 1 | High | Token is logged in plain text |
        I | 2 | Low | Misspelt flag name |

          ## Findings

        W ### 3. Two writers race

          The lock is taken too late.
"""


def test_a_row_that_repeats_a_part_is_left_out() -> None:
    text, expected = marked_review(SUMMED_UP)
    found = read_document(text).findings
    assert [(finding.line, finding.severity) for finding in found] == expected


def test_rows_that_say_more_stay() -> None:
    text, expected = marked_review(ALONE)
    found = read_document(text).findings
    assert [(finding.line, finding.severity) for finding in found] == expected


def test_other_scripts_are_compared_as_well() -> None:
    text = (
        "| 级别 | 问题 |\n|---|---|\n| 高 | 密码以明文写入日志 |\n\n"
        "## 问题\n\n### 1. 【高】密码以明文写入了日志文件\n\n任何人都能读到。\n"
    )
    assert [finding.line for finding in read_document(text).findings] == [7]
