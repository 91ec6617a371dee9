-- What is known of a call that was promised money, as of the last word of its proxy: so that of one that is killed what it spent stays
-- spent, its calls have rows, and only the rest of the promise comes back.
ALTER TABLE model_reservations
    ADD COLUMN used    bigint NOT NULL DEFAULT 0, -- millionths of a dollar
    ADD COLUMN written bigint NOT NULL DEFAULT 0, -- tokens of output
    ADD COLUMN about   jsonb;                     -- the rest of its row; null of a proxy that does not say it yet

-- What was booked for a call while its proxy was thought dead, which its own row replaces.
ALTER TABLE model_calls ADD COLUMN lost_micros bigint;
ALTER TABLE model_calls DROP CONSTRAINT model_calls_outcome_check;
ALTER TABLE model_calls ADD CONSTRAINT model_calls_outcome_check
    CHECK (outcome IN ('ok', 'refused', 'unreachable', 'cut', 'left', 'stopped', 'timed_out', 'lost'));
