-- What the organization lets each run cost that says nothing itself, and each day (UTC) of all its agents, in US dollars; null for no limit.
CREATE TABLE spending (
    name          text PRIMARY KEY DEFAULT 'organization' CHECK (name = 'organization'),
    run_limit_usd numeric DEFAULT 5 CHECK (run_limit_usd > 0),
    day_cap_usd   numeric CHECK (day_cap_usd > 0),
    -- What was last told of the day's cap: the day, at which root, 80 or 100 percent.
    told_on       date,
    told_at       uuid,
    told          smallint NOT NULL DEFAULT 0
);
INSERT INTO spending DEFAULT VALUES;

-- Who changed them, see log.audit_change.
CREATE TRIGGER audit_changed AFTER UPDATE OF run_limit_usd, day_cap_usd ON spending FOR EACH ROW
    WHEN (OLD.run_limit_usd IS DISTINCT FROM NEW.run_limit_usd OR OLD.day_cap_usd IS DISTINCT FROM NEW.day_cap_usd)
    EXECUTE FUNCTION log.audit_change('spending', 'name', '', 'run_limit_usd day_cap_usd');

-- Whether a run has its limit because nobody said one for it.
ALTER TABLE works ADD COLUMN limit_by_default boolean NOT NULL DEFAULT false;

-- All that is spent on a day counts for one account, whether there is a cap or not: one that is set at noon counts the morning, too.
ALTER TABLE model_team_budgets DROP CONSTRAINT model_team_budgets_kind_check;
ALTER TABLE model_team_budgets ADD CONSTRAINT model_team_budgets_kind_check
    CHECK (kind IN ('month', 'day', 'all', 'work', 'delegation', 'organization'));

-- As V072 has it; a run that a message begins has the organization's limit.
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
        INSERT INTO works (id, root_task, workspace_id, asked_by, title, brief, context_id, created_at, limit_usd, limit_by_default, status, ended_at)
        SELECT id, id, workspace_id, 'chat', coalesce(nullif(left(split_part(words, E'\n', 1), 200), ''), '(no words)'), words, context_id, at,
            (SELECT run_limit_usd FROM spending), true, CASE status WHEN 'running' THEN 'working' WHEN 'ok' THEN 'done' ELSE 'failed' END, ended_at
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
