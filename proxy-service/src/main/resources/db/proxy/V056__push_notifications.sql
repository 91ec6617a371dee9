-- Callers that want to be told how tasks of agents go on, and what they are still to be told.

-- Tasks that are looked at for them.
CREATE TABLE push_tasks (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    caller_id    uuid,                              -- on whose behalf its agent is asked; null: a person
    task_id      text NOT NULL,
    seen         text NOT NULL DEFAULT '',          -- a digest of the task as it was told last
    changed_at   timestamptz NOT NULL DEFAULT now(),
    claim        bigint NOT NULL DEFAULT 0,
    due_at       timestamptz DEFAULT now(),         -- null: it is over
    UNIQUE (workspace_id, task_id)
);

CREATE INDEX push_tasks_due ON push_tasks (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX push_tasks_age ON push_tasks (changed_at);

CREATE TABLE push_configs (
    id          uuid PRIMARY KEY,
    task        uuid NOT NULL REFERENCES push_tasks ON DELETE CASCADE,
    name        text NOT NULL,                      -- its id to the caller
    caller_id   uuid,
    version     text NOT NULL,                      -- in which it is told
    url         text NOT NULL,
    token       text,
    scheme      text,
    credentials text,
    created_at  timestamptz NOT NULL DEFAULT now(),
    seen        text NOT NULL DEFAULT '',
    last_n      bigint NOT NULL DEFAULT 0,          -- of its newest notification
    lost        integer NOT NULL DEFAULT 0,         -- notifications that were given up and not yet told to be
    attempts    integer NOT NULL DEFAULT 0,         -- at the oldest one
    claim       bigint NOT NULL DEFAULT 0,
    due_at      timestamptz,                        -- null: there is nothing to tell
    UNIQUE NULLS NOT DISTINCT (task, name, caller_id)
);

CREATE INDEX push_configs_due ON push_configs (due_at) WHERE due_at IS NOT NULL;

CREATE TABLE push_notifications (
    config uuid NOT NULL REFERENCES push_configs ON DELETE CASCADE,
    n      bigint NOT NULL,
    body   bytea NOT NULL,
    PRIMARY KEY (config, n)
);
