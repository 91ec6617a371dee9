-- Codes that a person says at a messenger, to be known there from then on: one of each person, by hash. What it opens there is that of the
-- token it becomes.
CREATE TABLE chat_codes (
    person_id  uuid PRIMARY KEY REFERENCES people ON DELETE CASCADE,
    code_hash  bytea NOT NULL UNIQUE,
    role       text NOT NULL CHECK (role IN ('viewer', 'operator', 'owner')),
    branch     uuid,
    days       integer NOT NULL,
    expires_at timestamptz NOT NULL
);
