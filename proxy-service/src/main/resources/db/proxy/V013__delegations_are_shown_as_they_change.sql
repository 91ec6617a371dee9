-- The rows of activity that show a delegation change in the transaction that changes it. What was behind is brought up to date.
SELECT log.upsert_activity(array_agg(id), array_agg(source_id), array_agg('delegation'::text), array_agg(source_id), array_agg(target_id),
    array_agg(method), array_agg(summary), array_agg(request::text), array_agg(response::text), array_agg(NULL::text),
    array_agg(NULL::integer), array_agg(status), array_agg(error), array_agg(NULL::text), array_agg(NULL::uuid), array_agg(at))
FROM (
    SELECT id, source_id, target_id, 'delegate' AS method, concat('Delegating', ' to ' || target_id) AS summary,
        jsonb_build_object('task', task, 'delegation_id', delegation_id) AS request, NULL::jsonb AS response, status, error, created_at AS at
    FROM delegations WHERE projected < revision
    UNION ALL
    SELECT result_id, source_id, target_id, 'delegate_result', CASE result_status
            WHEN 'completed' THEN 'Delegation completed (' || left(coalesce(result_text, ''), 80)
                || CASE WHEN length(result_text) > 80 THEN '...' ELSE '' END || ')'
            WHEN 'queued' THEN 'Delegation queued — target at capacity'
            ELSE 'Delegation failed' END, NULL,
        jsonb_strip_nulls(jsonb_build_object('text', result_text, 'delegation_id', delegation_id, 'queued',
            CASE WHEN result_status = 'queued' THEN true END, 'outcome', CASE WHEN outcome_unknown THEN 'unknown' END)),
        result_status, error, coalesce(result_at, created_at)
    FROM delegations WHERE projected < revision AND result_status IS NOT NULL
) AS behind
HAVING count(*) > 0;

DROP INDEX delegations_unshown;
ALTER TABLE delegations DROP COLUMN revision, DROP COLUMN projected;
