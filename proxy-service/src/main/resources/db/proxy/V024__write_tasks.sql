-- Written by functions that look rows up by their indexes, whatever there was when the statements were planned: a connection keeps its plan,
-- and one made for tables that were empty reads them whole for as long as nobody has analysed them.
--
-- A person's message belongs to the work that it goes on with: of the task it names, of the work it was sent for, or of the newest in its
-- context that is not over; else it begins one, and its words are kept as that one's brief. One that is over already is written so, ends what
-- else began with its message, and the work it began.
CREATE FUNCTION write_tasks(
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
        ON CONFLICT DO NOTHING
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
    FROM (SELECT id, status, ended_at FROM given WHERE ended_at IS NOT NULL UNION ALL SELECT id, status, ended_at FROM ended) AS ends
    WHERE w.root_task = ends.id AND (w.ended_at IS NULL OR w.status = 'failed');
END
$$;

-- An end is that of the message, whichever call told it, and of all that its agent's task was begun with. One that is known is not changed
-- any more, but for one that was unknown; what was said is kept of a work's tasks. A work ends with the message it began with.
CREATE FUNCTION end_tasks(
    ids uuid[], workspaces uuid[], messages text[], tasks text[], statuses text[], times timestamptz[], answers text[], named text[]
) RETURNS void
    LANGUAGE plpgsql
    SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off SET plan_cache_mode = force_generic_plan
    AS $$
#variable_conflict use_column
BEGIN
    WITH given AS (
        SELECT * FROM unnest(ids, workspaces, messages, tasks, statuses, times, answers, named)
            AS given (id, workspace_id, message_id, task_id, status, at, answer, files)
    ), meant AS (
        SELECT given.*, given.id AS task FROM given
        UNION SELECT given.*, t.id FROM given JOIN tasks AS t
            ON t.workspace_id = given.workspace_id AND t.message_id = given.message_id AND (t.ended_at IS NULL OR t.status = 'unknown')
        UNION SELECT given.*, t.id FROM given JOIN tasks AS t
            ON t.workspace_id = given.workspace_id AND t.task_id = given.task_id AND t.status = 'waiting'
    ), one AS (
        SELECT DISTINCT ON (task) * FROM meant ORDER BY task, (task = id) DESC, at DESC
    ), ended AS (
        UPDATE tasks AS t SET
            status = CASE WHEN t.ended_at IS NULL OR t.status = 'unknown' THEN one.status ELSE t.status END,
            task_id = CASE WHEN t.ended_at IS NULL OR t.status = 'unknown' THEN coalesce(one.task_id, t.task_id) ELSE t.task_id END,
            ended_at = CASE WHEN t.ended_at IS NOT NULL AND t.status <> 'unknown' THEN t.ended_at
                WHEN one.status <> 'waiting' THEN one.at END,
            answer = CASE WHEN says AND t.work_id IS NOT NULL THEN one.answer ELSE t.answer END,
            files = CASE WHEN says AND t.work_id IS NOT NULL THEN one.files::jsonb ELSE t.files END,
            answered_at = CASE WHEN says AND t.work_id IS NOT NULL THEN one.at ELSE t.answered_at END
        FROM (SELECT one.*, one.task = one.id AND one.answer IS NOT NULL AS says FROM one) AS one
        WHERE t.id = one.task AND t.workspace_id = one.workspace_id
            AND (t.ended_at IS NULL OR t.status = 'unknown' OR (says AND t.work_id IS NOT NULL))
        RETURNING t.id, one.status, CASE WHEN one.status <> 'waiting' THEN one.at END AS ended_at
    ), ends (id, status, ended_at) AS (
        SELECT id, status, ended_at FROM ended WHERE ended_at IS NOT NULL
        UNION SELECT id, status, at FROM given WHERE status <> 'waiting'
    )
    UPDATE works AS w SET status = CASE ends.status WHEN 'ok' THEN 'done' ELSE 'failed' END, ended_at = ends.ended_at
    FROM ends WHERE w.root_task = ends.id AND (w.ended_at IS NULL OR w.status = 'failed');
END
$$;
