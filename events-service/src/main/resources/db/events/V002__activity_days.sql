-- Activity, one partition a day: forgetting a day is dropping a table. A row's day is that of its created_at (UTC), kept within
-- the days there are, so that a repeat of a row meets the row in the same partition.
ALTER TABLE activity_logs RENAME TO activity_logs_undivided;
ALTER INDEX activity_logs_inserted RENAME TO activity_logs_undivided_inserted;
ALTER INDEX activity_logs_newest RENAME TO activity_logs_undivided_newest;
ALTER INDEX activity_logs_idempotency RENAME TO activity_logs_undivided_idempotency;

CREATE SEQUENCE activity_seq AS bigint;
SELECT setval('activity_seq', (SELECT coalesce(max(seq), 0) + 1 FROM activity_logs_undivided), false);

CREATE TABLE activity_logs (
    id              uuid NOT NULL,
    day             date NOT NULL,
    seq             bigint NOT NULL DEFAULT nextval('activity_seq'),
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
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (id, day)
) PARTITION BY LIST (day);

CREATE INDEX activity_logs_inserted ON activity_logs (workspace_id, seq);
CREATE INDEX activity_logs_newest ON activity_logs (workspace_id, created_at DESC, seq DESC);
CREATE UNIQUE INDEX activity_logs_idempotency ON activity_logs (workspace_id, idempotency_key, day)
    WHERE idempotency_key IS NOT NULL;

-- Attached rather than created in place, because that lets readers and writers of the other days go on.
CREATE FUNCTION add_activity_day(wanted date) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    partition text := 'activity_logs_' || to_char(wanted, 'YYYYMMDD');
BEGIN
    PERFORM pg_advisory_xact_lock(73111);
    IF to_regclass(partition) IS NULL THEN
        EXECUTE format('CREATE TABLE %I (LIKE activity_logs INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition);
        EXECUTE format('ALTER TABLE activity_logs ATTACH PARTITION %I FOR VALUES IN (%L)', partition, wanted);
    END IF;
END
$$;

SELECT add_activity_day(day)
FROM (SELECT DISTINCT (created_at AT TIME ZONE 'UTC')::date AS day FROM activity_logs_undivided) AS days;

INSERT INTO activity_logs (id, day, seq, workspace_id, activity_type, source_id, target_id, method, summary, request_body,
    response_body, tool_trace, duration_ms, status, error_detail, idempotency_key, created_at)
SELECT id, (created_at AT TIME ZONE 'UTC')::date, seq, workspace_id, activity_type, source_id, target_id, method, summary,
    request_body, response_body, tool_trace, duration_ms, status, error_detail, idempotency_key, created_at
FROM activity_logs_undivided;

DROP TABLE activity_logs_undivided;
