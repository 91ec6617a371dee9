-- Messages that an agent was too busy for. One at a time per target leaves, the most urgent and then the oldest first.
CREATE TABLE a2a_queue (
    id          uuid PRIMARY KEY,
    seq         bigint GENERATED ALWAYS AS IDENTITY,
    target_id   uuid NOT NULL,
    caller_id   uuid,                               -- null: the canvas
    priority    smallint NOT NULL,
    method      text NOT NULL,
    message_id  text,
    message_key text,                               -- SHA-256 of caller and messageId, which may be long
    body        bytea NOT NULL,
    headers     text NOT NULL,                      -- a JSON object
    status      text NOT NULL CHECK (status IN ('queued', 'dispatched', 'completed', 'dropped', 'failed')),
    attempts    integer NOT NULL DEFAULT 0,
    lookups     integer NOT NULL DEFAULT 0,
    sent        boolean NOT NULL DEFAULT false,     -- set before the first byte leaves, taken back when nothing was run
    due_at      timestamptz,                        -- when to look; while dispatched, when the lease ends
    claim       bigint NOT NULL DEFAULT 0,
    last_error  text,
    enqueued_at timestamptz NOT NULL DEFAULT now(),
    expires_at  timestamptz NOT NULL,
    ended_at    timestamptz
);

CREATE UNIQUE INDEX a2a_queue_message ON a2a_queue (target_id, message_key)
    WHERE message_key IS NOT NULL AND status IN ('queued', 'dispatched');
CREATE UNIQUE INDEX a2a_queue_single_drain ON a2a_queue (target_id) WHERE status = 'dispatched';
CREATE INDEX a2a_queue_order ON a2a_queue (target_id, priority DESC, seq) WHERE status IN ('queued', 'dispatched');
CREATE INDEX a2a_queue_due ON a2a_queue (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX a2a_queue_ended ON a2a_queue (ended_at) WHERE ended_at IS NOT NULL;
