#!/usr/bin/env python3
"""The model of issue slots and register banks in sass.py, on instructions written by hand."""
import unittest

import sass

NONE = sass.NO_REGISTER
LDS = (0x984, 0)


def ffma(a, b, c, keep=""):
    """FFMA of registers a, b and c; `keep` names the operands that have .reuse."""
    return 0x223 | a << 24 | b << 32, c | sum(1 << 58 + "abc".index(operand) for operand in keep)


class Banks(unittest.TestCase):
    def test_even_and_odd_registers_lie_in_two_banks(self):
        self.assertEqual(sass.reads_of(*ffma(2, 5, 8), {}), [2, 1])
        self.assertEqual(sass.reads_of(*ffma(3, NONE, 8), {}), [1, 1])

    def test_what_is_kept_is_not_read_again(self):
        kept = {}
        self.assertEqual(sass.reads_of(*ffma(2, 4, 7, keep="a"), kept), [2, 1])
        self.assertEqual(sass.reads_of(*ffma(2, 4, 9, keep="b"), kept), [1, 1])  # b was not kept
        self.assertEqual(sass.reads_of(*ffma(2, 4, 9), kept), [1, 1])  # nor a, by the second
        self.assertEqual(sass.reads_of(*ffma(4, 2, 9), kept), [2, 1])

    def test_an_operand_keeps_one_register_of_each_bank(self):
        kept = {}
        sass.reads_of(*ffma(2, 5, 7, keep="a"), kept)
        self.assertEqual(sass.reads_of(*ffma(7, 2, 9, keep="a"), kept), [1, 2])  # kept as a, wanted as b
        self.assertEqual(sass.reads_of(*ffma(2, 5, 9), kept), [0, 2])
        self.assertEqual(sass.reads_of(*ffma(7, 5, 9), kept), [0, 2])
        self.assertEqual(sass.reads_of(*ffma(2, 5, 9), kept), [1, 2])


class Clocks(unittest.TestCase):
    def takes(self, loop, cautious, measured):
        self.assertEqual((sass.clocks(loop, 1), sass.clocks(loop, 3)), (cautious, measured))

    def test_a_bank_gives_one_register_a_clock(self):
        self.takes([ffma(2, 5, NONE)] * 4, 4, 4)
        self.takes([ffma(2, 5, 8)] * 4, 8, 8)
        self.takes([ffma(2, 4, 8)] * 4, 12, 12)

    def test_reads_of_several_overlap_in_the_window(self):
        self.takes([ffma(2, 4, NONE), ffma(3, 5, NONE)] * 4, 16, 8)
        self.takes([ffma(2, 5, 8), ffma(3, 5, 8)] * 4, 16, 12)  # six registers, three of each bank

    def test_reuse_saves_reads_until_another_instruction(self):
        self.takes([ffma(2, 5, 8, keep="a"), ffma(2, 5, 10, keep="a")] * 4, 9, 8)  # the first one reads three
        self.takes([ffma(2, 5, 8, keep="a"), LDS] * 4, 12, 8)


if __name__ == "__main__":
    unittest.main()
