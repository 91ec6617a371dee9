-- Bearers for the whole organisation, by hash. Revoked ones stay, so that it can be told who had made them.
CREATE TABLE org_tokens (
    id           uuid PRIMARY KEY,
    token_hash   bytea NOT NULL UNIQUE,
    prefix       text NOT NULL,
    name         text,
    created_by   text NOT NULL,
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz
) WITH (fillfactor = 80);

CREATE INDEX org_tokens_live ON org_tokens (created_at DESC, id) WHERE revoked_at IS NULL;
