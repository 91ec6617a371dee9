-- What agents are told in confidence, as environment variables. Sorted as bytes, whatever the database's own order.
CREATE TABLE workspace_secrets (
    workspace_id       uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    key                text COLLATE "C" NOT NULL,
    encrypted_value    bytea NOT NULL,
    encryption_version integer NOT NULL,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, key)
);

-- The same for every workspace that has no value of its own.
CREATE TABLE global_secrets (
    key                text COLLATE "C" PRIMARY KEY,
    encrypted_value    bytea NOT NULL,
    encryption_version integer NOT NULL,
    created_at         timestamptz NOT NULL,
    updated_at         timestamptz NOT NULL
);

COMMENT ON COLUMN workspace_secrets.encryption_version IS '0 in clear, 1 AES-256-GCM as nonce, ciphertext, tag';
COMMENT ON COLUMN global_secrets.encryption_version IS '0 in clear, 1 AES-256-GCM as nonce, ciphertext, tag';

-- Restarts that a change of secrets calls for, written in the change's transaction. Without a reference to workspaces: nobody
-- who deletes a workspace waits for a change of a global secret, and what has no workspace any more is dropped when due.
CREATE TABLE restart_requests (
    workspace_id uuid PRIMARY KEY,
    incarnation  integer NOT NULL,
    fan_out      boolean NOT NULL,
    asked_at     timestamptz NOT NULL,
    due_at       timestamptz NOT NULL,
    taken_at     timestamptz
);

COMMENT ON COLUMN restart_requests.incarnation IS 'the start that may not know the newest value and is to be replaced';
COMMENT ON COLUMN restart_requests.fan_out IS 'asked for by a global secret: one of many, a few at a time';
COMMENT ON COLUMN restart_requests.taken_at IS 'when a replica set out to do it; long ago means that it did not';

CREATE INDEX restart_requests_due ON restart_requests (due_at);
