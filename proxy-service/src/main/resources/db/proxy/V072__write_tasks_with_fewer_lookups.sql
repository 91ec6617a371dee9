-- As V024 has it, with less to look up: a work that is begun here with its end has that end already, and is not looked for once more; and that
-- it is there is asked of one index, not of two.
CREATE OR REPLACE FUNCTION write_tasks(
    proxy uuid, ids uuid[], workspaces uuid[], callers uuid[], messages text[], tasks text[], contexts text[], traces text[], previews text[],
    asked text[], begins timestamptz[], statuses text[], ends timestamptz[], answers text[], named text[]
) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
    AS $$
#variable_conflict use_column
BEGIN
    WITH given AS (
        SELECT * FROM unnest(ids, workspaces, callers, messages, tasks, contexts, traces, previews, asked, begins, statuses, ends, answers, named)
            AS given (id, workspace_id, caller_id, message_id, task_id, context_id, trace, preview, words, at, status, ended_at, answer, files)
    ), placed AS (
        SELECT given.*, CASE WHEN caller_id IS NULL THEN coalesce(
            (SELECT w.id FROM works AS w WHERE w.root_task = given.id),
            (SELECT t.work_id FROM tasks AS t WHERE t.workspace_id = given.workspace_id AND t.task_id = given.task_id
                AND t.work_id IS NOT NULL LIMIT 1),
            (SELECT w.id FROM works AS w WHERE w.workspace_id = given.workspace_id AND w.context_id = given.context_id
                AND w.ended_at IS NULL ORDER BY w.created_at DESC LIMIT 1),
            given.id)
        ELSE work_of(caller_id, trace) END AS work_id
        FROM given
    ), begun AS (
        INSERT INTO works (id, root_task, workspace_id, asked_by, title, brief, context_id, created_at, status, ended_at)
        SELECT id, id, workspace_id, 'chat', coalesce(nullif(left(split_part(words, E'\n', 1), 200), ''), '(no words)'), words, context_id, at,
            CASE status WHEN 'running' THEN 'working' WHEN 'ok' THEN 'done' ELSE 'failed' END, ended_at
        FROM placed WHERE caller_id IS NULL AND work_id = id
        ON CONFLICT (id) DO NOTHING
    ), ended AS (
        UPDATE tasks AS t SET status = given.status, ended_at = given.ended_at
        FROM given
        WHERE given.ended_at IS NOT NULL AND t.workspace_id = given.workspace_id AND t.message_id = given.message_id
            AND (t.ended_at IS NULL OR t.status = 'unknown') AND t.id <> ALL (ids)
        RETURNING t.id, t.status, t.ended_at
    ), noted AS (
        INSERT INTO tasks AS t (id, owner, workspace_id, caller_id, message_id, task_id, work_id, trace, preview, words, status, started_at,
            ended_at, answer, files, answered_at)
        SELECT id, proxy, workspace_id, caller_id, message_id, task_id, work_id, trace, preview,
            CASE WHEN work_id <> id THEN nullif(words, '') END, status, at, ended_at,
            CASE WHEN work_id IS NOT NULL THEN answer END, CASE WHEN work_id IS NOT NULL THEN files::jsonb END,
            CASE WHEN work_id IS NOT NULL AND answer IS NOT NULL THEN ended_at END
        FROM placed
        ON CONFLICT (id) DO UPDATE SET owner = proxy, status = excluded.status, ended_at = excluded.ended_at,
            answer = coalesce(excluded.answer, t.answer), files = coalesce(excluded.files, t.files),
            answered_at = coalesce(excluded.answered_at, t.answered_at)
    )
    UPDATE works AS w SET status = CASE ends.status WHEN 'ok' THEN 'done' ELSE 'failed' END, ended_at = ends.ended_at
    FROM (SELECT id, status, ended_at FROM placed WHERE ended_at IS NOT NULL AND work_id IS DISTINCT FROM id UNION ALL SELECT id, status, ended_at FROM ended) AS ends
    WHERE w.root_task = ends.id AND (w.ended_at IS NULL OR w.status = 'failed');
END
$$;
