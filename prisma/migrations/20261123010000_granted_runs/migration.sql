-- A run may be granted to a worker when it is accepted: its lease is as long as the worker asks for.
ALTER TABLE workers ADD COLUMN lease_ms integer NOT NULL DEFAULT 30000;
