-- The clock by which heartbeats are written and silence is judged: one for all replicas, however their own clocks differ.
CREATE FUNCTION moment() RETURNS timestamptz LANGUAGE sql VOLATILE AS 'SELECT clock_timestamp()';

ALTER TABLE restart_freeze ADD COLUMN trial_at timestamptz;
COMMENT ON COLUMN restart_freeze.trial_at IS 'when one automatic restart was last let through, to see whether it comes back';
