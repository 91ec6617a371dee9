-- What a call's context names, where one workspace handed it on to the one that calls: a delegation, or the message that waited for its answer.
CREATE FUNCTION handed_on(target uuid, context text) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    SELECT context WHERE EXISTS (SELECT FROM proxy.delegations AS d WHERE d.delegation_id = $2 AND d.target_id = $1)
        OR EXISTS (SELECT FROM proxy.tasks AS t
            WHERE t.workspace_id = $1 AND t.message_id = $2 AND (t.ended_at IS NULL OR t.status = 'unknown') AND t.caller_id IS NOT NULL)
    $$;
