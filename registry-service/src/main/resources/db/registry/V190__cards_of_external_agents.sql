-- Agents elsewhere that were added by their URL and never registered: their card at that URL says in which version of A2A they are spoken
-- to, and its answer is their sign of life. Who registers says both itself, and is taken out.
CREATE TABLE card_lookups (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    due_at       timestamptz NOT NULL DEFAULT moment(),
    misses       integer NOT NULL DEFAULT 0         -- in a row
);

CREATE INDEX card_lookups_due ON card_lookups (due_at);

INSERT INTO card_lookups (workspace_id)
SELECT id FROM workspaces WHERE runtime = 'external' AND url ~* '^https?://' AND agent_card IS NULL AND status <> 'removed';
