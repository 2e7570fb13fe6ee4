"""The part of Runfleet that runs inside of a sandbox.

The modules import at their top only what Python has built in: each other import makes every start of a process slower.
"""
