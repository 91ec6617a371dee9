-- People at a page who showed the ADMIN_TOKEN, by the hash of what their cookie holds. One that ended is gone.
-- made_with: sixteen bits of a hash of that ADMIN_TOKEN: too few to find it by, enough for a changed one to end the sessions of the old.
CREATE TABLE sessions (
    token_hash bytea PRIMARY KEY,
    made_with  integer NOT NULL,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX sessions_by_age ON sessions (created_at DESC);
