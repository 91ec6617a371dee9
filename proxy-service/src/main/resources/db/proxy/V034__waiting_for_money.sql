-- A task waits for money too (cause 'money'): its agent asks a model again and again, and is refused. It does until so long after the last
-- refusal; the other causes have an end of their own.
ALTER TABLE waits ADD COLUMN until timestamptz;
CREATE INDEX waits_until ON waits (until) WHERE until IS NOT NULL;
