-- An import that was asked for with an Idempotency-Key stays for a day after its end, so that whoever asks again with the key, having
-- got no answer, is told what became of it instead of having everything created a second time.
ALTER TABLE imports
    ADD COLUMN key      text,
    ADD COLUMN digest   text,
    ADD COLUMN answer   jsonb,
    ADD COLUMN ended_at timestamptz;

CREATE UNIQUE INDEX imports_key ON imports (key);
