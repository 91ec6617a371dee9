-- Activity moves to the schema of the log, where every service may append it (db/log/V021__activity.sql).
SELECT log.add_activity_day(day) FROM (SELECT DISTINCT day FROM activity_logs) AS days;

INSERT INTO log.activity (id, day, seq, workspace_id, activity_type, source_id, target_id, method, summary, duration_ms, status, error_detail,
    idempotency_key, created_at)
SELECT id, day, seq, workspace_id, activity_type, source_id, target_id, method, summary, duration_ms, status, error_detail,
    idempotency_key, created_at
FROM activity_logs;

INSERT INTO log.activity_bodies (id, day, request_body, response_body, tool_trace)
SELECT id, day, request_body, response_body, tool_trace
FROM activity_logs
WHERE request_body IS NOT NULL OR response_body IS NOT NULL OR tool_trace IS NOT NULL;

INSERT INTO log.activity_bytes SELECT * FROM activity_bytes;

SELECT setval('log.activity_seq', greatest(nextval('log.activity_seq'), nextval('activity_seq')), false);

DROP TABLE activity_logs;
DROP TABLE activity_bytes;
DROP FUNCTION add_activity_day(date);
DROP SEQUENCE activity_seq;
