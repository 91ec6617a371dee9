-- What agents keep by key. The value is JSON text as it was sent: jsonb would blow 1e99999 up and reorder members.
-- The key's collation makes its order the same on every machine.
CREATE TABLE key_values (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    key          text COLLATE "C" NOT NULL,
    value        text NOT NULL,
    version      bigint NOT NULL DEFAULT 1,
    expires_at   timestamptz,
    updated_at   timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, key)
);

CREATE INDEX key_values_expiring ON key_values (expires_at) WHERE expires_at IS NOT NULL;
