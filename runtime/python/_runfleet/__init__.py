"""The part of Runfleet that runs inside of a sandbox. Only what Python has built in is imported at the top of these modules:
how fast a process starts is the product here."""
