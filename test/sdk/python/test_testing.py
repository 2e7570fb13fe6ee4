"""What tests of agents call."""

from __future__ import annotations

import os
import sys
import unittest
from unittest.mock import patch

from runfleet_sdk.testing import NotRehearsed, run_agent


class Testing(unittest.TestCase):
    """The command line that a test calls."""

    def test_agent(self) -> None:
        """Of several agents of a folder a test names the one that it is for"""
        told = f"{sys.executable} -c 'import sys; sys.exit(str(sys.argv[1:]))'"
        with patch.dict(os.environ, RUNFLEET_CLI=told):
            with self.assertRaises(NotRehearsed) as named:
                run_agent("graphs", agent="two")
            with self.assertRaises(NotRehearsed) as only:
                run_agent("graphs")
        words = ["test", "graphs", "-f", "-", "--json"]
        self.assertEqual(str(named.exception), str([*words, "--agent", "two"]))
        self.assertEqual(str(only.exception), str(words))
