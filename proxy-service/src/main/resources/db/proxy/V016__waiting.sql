-- Tasks of agents that wait for a person. While a task has a row here the clocks of the delegations above it stand still.
CREATE TABLE waits (
    workspace_id uuid NOT NULL,
    task_id      text NOT NULL,                 -- as its agent names it
    cause        text NOT NULL,                 -- the approval's id; 'input' where the agent itself asks
    context_id   text,                          -- null when it was not said
    since        timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (workspace_id, task_id, cause)
);

CREATE INDEX waits_in_context ON waits (workspace_id, context_id) WHERE cause = 'input' AND context_id IS NOT NULL;
CREATE INDEX waits_age ON waits (since);

-- Calls that nobody holds while their task waits: the message, so that its end is recorded like that of any other.
CREATE TABLE released_calls (
    id           uuid PRIMARY KEY,              -- also the activity row about its end
    workspace_id uuid NOT NULL,
    task_id      text NOT NULL,
    caller_id    uuid,                          -- null: the canvas
    message_id   text NOT NULL,
    body         bytea NOT NULL,
    headers      text NOT NULL,                 -- a JSON object
    lookups      integer NOT NULL DEFAULT 0,
    due_at       timestamptz NOT NULL DEFAULT now(),
    claim        bigint NOT NULL DEFAULT 0,
    released_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX released_calls_due ON released_calls (due_at);

ALTER TABLE delegations
    ADD COLUMN task_id    text,                 -- what it became at its target; null while that was never asked
    ADD COLUMN stopped_at timestamptz;          -- since when its clock stands still; null while it goes
CREATE INDEX delegations_of_task ON delegations (target_id, task_id) WHERE task_id IS NOT NULL;
CREATE INDEX delegations_stopped ON delegations (stopped_at) WHERE stopped_at IS NOT NULL;
