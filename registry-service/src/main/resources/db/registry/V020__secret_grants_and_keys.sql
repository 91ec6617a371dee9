-- Which key sealed a value, who may read a global one, and when one was last read.
ALTER TABLE workspace_secrets
    ADD COLUMN key_id       text,
    ADD COLUMN last_read_at timestamptz;

ALTER TABLE global_secrets
    ADD COLUMN key_id       text,
    ADD COLUMN last_read_at timestamptz,
    ADD COLUMN granted_to   uuid[] CHECK (granted_to <> '{}');

COMMENT ON COLUMN workspace_secrets.encryption_version IS '0 in clear, 1 AES-256-GCM as nonce, ciphertext, tag, 2 the same with the row as associated data';
COMMENT ON COLUMN global_secrets.encryption_version IS '0 in clear, 1 AES-256-GCM as nonce, ciphertext, tag, 2 the same with the row as associated data';
COMMENT ON COLUMN workspace_secrets.key_id IS 'of the key that sealed it; null before version 2';
COMMENT ON COLUMN global_secrets.key_id IS 'of the key that sealed it; null before version 2';
-- No references: a grant whose workspace was purged still keeps everybody else out.
COMMENT ON COLUMN global_secrets.granted_to IS 'the roots of the branches that may read it; null for everybody who was admitted';
