-- One row for each call of a model that left the platform, or was meant to.
CREATE TABLE model_calls (
    id             uuid PRIMARY KEY,
    workspace_id   uuid NOT NULL,
    work_id        uuid,                   -- null until something says which work a call is part of
    delegation_id  text,                   -- the delegation to this workspace that the context names
    context        text,                   -- what X-Molecule-Context said
    trace_id       text,
    provider       text NOT NULL,
    model          text NOT NULL,
    operation      text NOT NULL,
    tokens_in      bigint NOT NULL,        -- without those of the next two
    cache_read     bigint NOT NULL,
    cache_write    bigint NOT NULL,
    tokens_out     bigint NOT NULL,        -- with those of reasoning
    reasoning      bigint NOT NULL,
    cost_micros    bigint,                 -- millionths of a dollar; null when nobody knows the price
    estimated      boolean NOT NULL,       -- the provider did not say, or not to the end
    outcome        text NOT NULL CHECK (outcome IN ('ok', 'refused', 'unreachable', 'cut', 'left', 'stopped', 'timed_out')),
    status         integer NOT NULL,       -- the provider's, 0 when it gave none
    started_at     timestamptz NOT NULL,
    duration_ms    bigint NOT NULL
);

CREATE INDEX model_calls_time ON model_calls (started_at);
CREATE INDEX model_calls_workspace ON model_calls (workspace_id, started_at);
