-- Which replica does a job. Not renewed in time, another one takes it: also from a replica that stands still and holds its connection.
CREATE TABLE claims (
    job    text PRIMARY KEY,
    holder uuid NOT NULL,
    until  timestamptz NOT NULL
);

-- Agents of ours that fell silent, until they are heard again or replaced.
CREATE TABLE suspicions (
    workspace_id  uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    incarnation   integer NOT NULL,
    last_heard_at timestamptz NOT NULL,
    unanswered    integer NOT NULL DEFAULT 0,
    answered      boolean NOT NULL DEFAULT false,
    due_at        timestamptz NOT NULL
);

COMMENT ON COLUMN suspicions.unanswered IS 'probes in a row without an answer';
COMMENT ON COLUMN suspicions.due_at IS 'when to look again';

-- Who went offline when, for a quarter of an hour: many at once are a fault of ours rather than theirs.
CREATE TABLE deaths (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    at           timestamptz NOT NULL
);

CREATE INDEX deaths_at ON deaths (at);

-- One row: whether automatic restarts are frozen, and from when on deaths count.
CREATE TABLE restart_freeze (
    one           boolean PRIMARY KEY DEFAULT true CHECK (one),
    since         timestamptz,
    deaths        integer NOT NULL DEFAULT 0,
    healthy_since timestamptz,
    counted_from  timestamptz
);
INSERT INTO restart_freeze DEFAULT VALUES;
