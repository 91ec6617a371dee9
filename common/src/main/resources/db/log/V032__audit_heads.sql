-- Ends of the audit chain as the organisation's key signed them: whoever can write here but has not that key cannot link a changed record anew.
CREATE TABLE audit_heads (
    seq bigint PRIMARY KEY,
    at  timestamptz NOT NULL DEFAULT clock_timestamp(),
    jws text NOT NULL
);
