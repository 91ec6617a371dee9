-- The event log. A row is appended in the transaction of the change it tells, without a position. One sequencer then numbers
-- committed rows; readers see numbered rows only, so a writer that stays open for long delays and hides nobody.
CREATE TABLE events (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq          bigint UNIQUE,
    event_id     uuid NOT NULL DEFAULT gen_random_uuid(),
    event_type   text NOT NULL,
    workspace_id uuid,
    payload      jsonb NOT NULL,
    created_at   timestamptz NOT NULL DEFAULT clock_timestamp()
);

CREATE INDEX events_unnumbered ON events (id) WHERE seq IS NULL;
CREATE INDEX events_of_workspace ON events (workspace_id, seq DESC);

-- The last number given, kept apart so that numbers stay dense when old rows are pruned.
CREATE TABLE position (
    one      boolean PRIMARY KEY DEFAULT true CHECK (one),
    last_seq bigint NOT NULL
);
INSERT INTO position (last_seq) VALUES (0);

CREATE FUNCTION append(event_type text, workspace_id uuid, payload jsonb) RETURNS bigint
    LANGUAGE sql
    AS $$ INSERT INTO log.events (event_type, workspace_id, payload) VALUES ($1, $2, $3) RETURNING id $$;
