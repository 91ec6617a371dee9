-- Messages at agents, from their begin on: what runs now, and what belongs to one piece of work.
CREATE TABLE tasks (
    id           uuid PRIMARY KEY,              -- also the activity row about its end, where there is one
    owner        uuid NOT NULL,                 -- the proxy that sent it
    workspace_id uuid NOT NULL,
    caller_id    uuid,                          -- null: a person
    message_id   text,
    task_id      text,                          -- as the agent names it; null while it did not
    work_id      uuid,
    trace        text,
    preview      text NOT NULL,                 -- at most 60 characters
    status       text NOT NULL CHECK (status IN ('running', 'waiting', 'ok', 'error', 'unknown')),
    started_at   timestamptz NOT NULL,
    ended_at     timestamptz
);

CREATE INDEX tasks_of_workspace ON tasks (workspace_id, started_at DESC, id);
CREATE INDEX tasks_running ON tasks (workspace_id) WHERE ended_at IS NULL;
CREATE INDEX tasks_message ON tasks (workspace_id, message_id) WHERE message_id IS NOT NULL;
CREATE INDEX tasks_trace ON tasks (trace) WHERE trace IS NOT NULL;
CREATE INDEX tasks_of_work ON tasks (work_id, started_at, id) WHERE work_id IS NOT NULL;
CREATE INDEX tasks_age ON tasks (started_at) WHERE work_id IS NULL;

-- A piece of work: what a person asked for, whoever did the parts of it.
CREATE TABLE works (
    id           uuid PRIMARY KEY,
    root_task    uuid NOT NULL,                 -- the message it began with
    workspace_id uuid NOT NULL,                 -- whom the person asked
    asked_by     text NOT NULL,                 -- the credential that was shown, as we saw it
    title        text NOT NULL,
    brief        text NOT NULL,
    context_id   text,
    limit_usd    numeric,
    due          timestamptz,
    status       text NOT NULL DEFAULT 'working' CHECK (status IN ('working', 'done', 'failed')),
    created_at   timestamptz NOT NULL,
    ended_at     timestamptz
);

CREATE UNIQUE INDEX works_root ON works (root_task);
CREATE INDEX works_newest ON works (created_at DESC, id DESC);
CREATE INDEX works_in_context ON works (workspace_id, context_id, created_at DESC) WHERE context_id IS NOT NULL;
CREATE INDEX works_ended ON works (ended_at) WHERE ended_at IS NOT NULL;

-- What was said in it, for as long as it is kept itself.
CREATE TABLE work_words (
    id        uuid NOT NULL,                    -- the task it was said in
    answer    boolean NOT NULL,
    work_id   uuid NOT NULL REFERENCES works ON DELETE CASCADE,
    speaker   uuid,                             -- null: a person
    listener  uuid,
    words     text NOT NULL,                    -- at most 64 KiB
    files     jsonb,
    said_at   timestamptz NOT NULL,
    PRIMARY KEY (id, answer)
);

CREATE INDEX work_words_of_work ON work_words (work_id, said_at, id);

ALTER TABLE delegations ADD COLUMN work_id uuid;
CREATE INDEX delegations_of_work ON delegations (work_id, created_at) WHERE work_id IS NOT NULL;

-- The work that somebody's message belongs to: that of its trace; else the one that all that its sender does now belongs to.
CREATE FUNCTION work_of(caller uuid, trace text) RETURNS uuid
    LANGUAGE sql STABLE
    AS $$
    SELECT coalesce(
        (SELECT t.work_id FROM proxy.tasks AS t WHERE t.trace = $2 AND t.work_id IS NOT NULL ORDER BY t.started_at LIMIT 1),
        (SELECT CASE WHEN count(DISTINCT t.work_id) = 1 THEN (array_agg(t.work_id))[1] END FROM proxy.tasks AS t
         WHERE t.workspace_id = $1 AND t.ended_at IS NULL AND t.work_id IS NOT NULL))
    $$;
