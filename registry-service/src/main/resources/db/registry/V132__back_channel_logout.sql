-- The session at the provider (sid of the ID token) that one here came from; null where it names none.
ALTER TABLE sessions ADD COLUMN provider_sid text;

-- Logout tokens that were taken, by a hash of their provider and jti, for as long as one could be shown again.
CREATE TABLE logout_tokens (
    token_hash bytea PRIMARY KEY,
    expires_at timestamptz NOT NULL
);
CREATE INDEX logout_tokens_by_end ON logout_tokens (expires_at);
