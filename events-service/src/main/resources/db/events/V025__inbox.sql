-- What waits for a person, one row a thing, as the event log tells it up to a position of the log. A row that is resolved stays for a day, so
-- that who asks for what changed hears of it.
CREATE TABLE inbox (
    id           uuid PRIMARY KEY,              -- of what it is about: the same thing has the same id
    position     bigint NOT NULL,               -- of the row's last change, in the inbox: the cursor of readers
    kind         text NOT NULL,                 -- a source of ai.molecule.events.inbox.InboxSource
    workspace_id uuid NOT NULL,
    words        text NOT NULL,                 -- at most 400 characters
    details      jsonb NOT NULL,
    opened_at    timestamptz NOT NULL,
    expires_at   timestamptz,
    resolved_at  timestamptz
) WITH (fillfactor = 80);

CREATE UNIQUE INDEX inbox_by_position ON inbox (position);
CREATE INDEX inbox_waiting ON inbox (workspace_id, kind) WHERE resolved_at IS NULL;
CREATE INDEX inbox_expiring ON inbox (expires_at) WHERE resolved_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX inbox_resolved ON inbox (resolved_at) WHERE resolved_at IS NOT NULL;

-- How far the log was read, and the last position given. Its lock makes the one that writes.
CREATE TABLE inbox_reached (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    seq       bigint NOT NULL,                  -- of the event log
    position  bigint NOT NULL,                  -- of the inbox
    forgotten bigint NOT NULL                   -- resolved rows up to here were deleted
);
INSERT INTO inbox_reached (seq, position, forgotten) VALUES (0, 0, 0);
