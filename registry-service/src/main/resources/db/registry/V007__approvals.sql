-- What agents ask to be allowed. Rows go with their workspace.
CREATE TABLE approvals (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    task_id      text NOT NULL,
    action       text NOT NULL,
    reason       text NOT NULL,
    context      jsonb,
    status       text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'approved', 'denied')),
    decided_by   text,
    decided_at   timestamptz,
    created_at   timestamptz NOT NULL
) WITH (fillfactor = 80);

CREATE INDEX approvals_of_workspace ON approvals (workspace_id, created_at DESC, id);
CREATE INDEX approvals_pending ON approvals (created_at DESC, id) WHERE status = 'pending';
