-- What agents did and said. seq is the order of insertion: per workspace it is also the order of commit, because an insert holds
-- the workspace's advisory lock, so a reader that goes on after a seq misses nothing.
CREATE TABLE activity_logs (
    id              uuid PRIMARY KEY,
    seq             bigint GENERATED ALWAYS AS IDENTITY,
    workspace_id    uuid NOT NULL,
    activity_type   text NOT NULL,
    source_id       uuid,
    target_id       uuid,
    method          text,
    summary         text,
    request_body    jsonb,
    response_body   jsonb,
    tool_trace      jsonb,
    duration_ms     integer,
    status          text NOT NULL DEFAULT 'ok',
    error_detail    text,
    idempotency_key text,
    created_at      timestamptz NOT NULL
);

CREATE INDEX activity_logs_inserted ON activity_logs (workspace_id, seq);
CREATE INDEX activity_logs_newest ON activity_logs (workspace_id, created_at DESC, seq DESC);
CREATE UNIQUE INDEX activity_logs_idempotency ON activity_logs (workspace_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
