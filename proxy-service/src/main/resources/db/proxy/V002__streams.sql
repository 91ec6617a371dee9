-- Event streams of agents, so that a client can come back to one on any replica and after the death of the one it was on.

-- Replicas of the proxy: one that was not seen for a while has lost its streams to whoever adopts them.
CREATE TABLE proxies (
    id      uuid PRIMARY KEY,
    seen_at timestamptz NOT NULL
);

-- Only the owner appends, and only while it is the owner.
CREATE TABLE streams (
    id           uuid PRIMARY KEY,
    owner        uuid NOT NULL,
    workspace_id uuid NOT NULL,
    caller_id    uuid,                              -- null: the canvas
    version      text NOT NULL,
    method       text NOT NULL,
    rpc_id       text NOT NULL,                     -- as JSON text
    request      bytea NOT NULL,
    duration_ms  integer NOT NULL,                  -- until the agent's headers
    task_id      text,
    context_id   text,
    state        text,
    status       text,                              -- the last status object, JSON text
    canceled     text,                              -- the status that the answer to a cancel told, JSON text
    starts       integer[] NOT NULL DEFAULT '{1}',  -- the first position of each epoch
    first_n      integer NOT NULL DEFAULT 1,        -- the first position still kept
    last_n       integer NOT NULL DEFAULT 0,
    bytes        bigint NOT NULL DEFAULT 0,
    opened_at    timestamptz NOT NULL DEFAULT now(),
    ended_at     timestamptz,
    interruption text
);

CREATE INDEX streams_of_task ON streams (workspace_id, task_id, opened_at DESC) WHERE task_id IS NOT NULL;
CREATE INDEX streams_open ON streams (owner) WHERE ended_at IS NULL;
CREATE INDEX streams_ended ON streams (ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE stream_events (
    stream_id uuid NOT NULL REFERENCES streams ON DELETE CASCADE,
    n         integer NOT NULL,
    body      bytea NOT NULL,                       -- the event without its id
    PRIMARY KEY (stream_id, n)
);
