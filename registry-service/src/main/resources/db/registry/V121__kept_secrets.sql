-- The platform's own secrets, which other services ask for over the bus and no agent ever reads: what proves a notification, what an incoming
-- webhook is signed with. Sealed like all others, and sealed anew with them.
CREATE TABLE kept_secrets (
    key                text PRIMARY KEY,            -- <owner>/<what the owner calls it>
    encrypted_value    bytea NOT NULL,
    encryption_version integer NOT NULL,
    key_id             text,
    updated_at         timestamptz NOT NULL
);
