-- Bearers of workspaces, by hash. A token bound to a start (incarnation) expires a minute after a newer start got its own.
CREATE TABLE workspace_tokens (
    id           uuid PRIMARY KEY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    token_hash   bytea NOT NULL UNIQUE,
    prefix       text NOT NULL,
    incarnation  integer,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    last_used_at timestamptz,
    revoked_at   timestamptz
) WITH (fillfactor = 80);

CREATE INDEX workspace_tokens_of_workspace ON workspace_tokens (workspace_id);
CREATE INDEX workspace_tokens_live ON workspace_tokens (workspace_id) WHERE revoked_at IS NULL;

-- Tokens of removed workspaces, kept for 30 days so that their agents learn that they were deleted.
CREATE TABLE token_tombstones (
    token_hash   bytea PRIMARY KEY,
    workspace_id uuid NOT NULL,
    removed_at   timestamptz NOT NULL
);
