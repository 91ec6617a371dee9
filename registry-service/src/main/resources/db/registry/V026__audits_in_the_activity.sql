-- The record of a memory written for all is a row of activity, appended in the transaction of the write. What waited to be delivered goes there.
SELECT log.append_activity(array_agg(id), array_agg(workspace_id), array_agg('memory_write_global'::text), array_agg(workspace_id),
    array_agg(NULL::uuid), array_agg(NULL::text), array_agg(format('GLOBAL memory written: id=%s namespace=%s', memory_id, namespace)),
    array_agg(json_build_object('memory_id', memory_id, 'namespace', namespace, 'content_sha256', content_sha256)::text),
    array_agg(NULL::text), array_agg(NULL::text), array_agg(NULL::integer), array_agg('ok'::text), array_agg(NULL::text),
    array_agg(NULL::text), array_agg(NULL::uuid), array_agg(written_at))
FROM memory_audits HAVING count(*) > 0;

DROP TABLE memory_audits;
