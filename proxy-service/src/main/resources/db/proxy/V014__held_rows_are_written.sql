-- Rows of activity are appended where they are kept, by the proxy itself. What waited for another service to take it is appended here.
SELECT log.append_activity(array_agg((row->>'id')::uuid), array_agg((row->>'workspaceId')::uuid), array_agg(row->>'activityType'),
    array_agg((row->>'sourceId')::uuid), array_agg((row->>'targetId')::uuid), array_agg(row->>'method'), array_agg(row->>'summary'),
    array_agg(row->>'requestBody'), array_agg(row->>'responseBody'), array_agg(row->>'toolTrace'), array_agg((row->>'durationMs')::integer),
    array_agg(row->>'status'), array_agg(row->>'errorDetail'), array_agg(row->>'idempotencyKey'), array_agg(NULL::uuid),
    array_agg((row->>'createdAt')::timestamptz))
FROM (SELECT body::json AS row FROM held_rows ORDER BY id) AS held
HAVING count(*) > 0;

DROP TABLE held_rows;
