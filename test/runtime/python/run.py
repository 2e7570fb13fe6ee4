"""Runs the unit tests of a folder, and prints a JSON object for each: title, and fault or why it was skipped.

`run.py FOLDER PATH...`: the paths are where modules are imported from. The title is the first line of the test's
docstring.
"""

from __future__ import annotations

import json
import os
import sys
import unittest

folder, *paths = sys.argv[1:]
sys.path[:0] = [*paths, folder]
output = os.fdopen(os.dup(1), "w")


class Reporter(unittest.TestResult):
    """Prints each test's outcome when the test ends."""

    outcome: str | None = None
    skipped_because: str | None = None

    def startTest(self, test: unittest.TestCase) -> None:
        self.outcome = self.skipped_because = None
        super().startTest(test)

    def stopTest(self, test: unittest.TestCase) -> None:
        super().stopTest(test)
        title = test.shortDescription() or test.id()
        report = {"id": test.id(), "title": title, "fault": self.outcome, "skipped": self.skipped_because}
        output.write(json.dumps(report) + "\n")
        output.flush()

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        self.skipped_because = reason

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: object) -> None:
        super().addSubTest(test, subtest, err)  # pyright: ignore
        self.outcome = (self.errors + self.failures)[-1][1] if err else self.outcome

    def addError(self, test: unittest.TestCase, err: object) -> None:
        super().addError(test, err)  # pyright: ignore
        self.outcome = self.errors[-1][1]

    def addFailure(self, test: unittest.TestCase, err: object) -> None:
        super().addFailure(test, err)  # pyright: ignore
        self.outcome = self.failures[-1][1]


unittest.TestLoader().discover(folder).run(Reporter())
