-- Tasks as agents name them, with the last status that went through a proxy: what the platform lists where the agent keeps no list. Of messages
-- to agents tells the table tasks; these are what agents made of them.
CREATE TABLE known_tasks (
    workspace_id uuid NOT NULL,
    task_id      text NOT NULL,                 -- at most 256 characters
    caller_id    uuid,                          -- whose message began it; null: a person
    context_id   text,
    state        text NOT NULL,                 -- as 0.3 writes it
    status       text NOT NULL,                 -- the status object as it was told, JSON text of at most 64 KiB
    status_at    timestamptz NOT NULL,          -- what it says itself where that can be, else when it was seen
    PRIMARY KEY (workspace_id, task_id)
);

CREATE INDEX known_tasks_newest ON known_tasks (workspace_id, status_at DESC, task_id DESC);
-- For those that are old.
CREATE INDEX known_tasks_age ON known_tasks USING brin (status_at) WITH (pages_per_range = 16);
