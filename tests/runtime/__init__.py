"""Tests of the hand-written runtime."""
