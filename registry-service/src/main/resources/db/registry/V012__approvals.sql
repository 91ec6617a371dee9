-- A request ends by a decision or at its own time, and a decision may be taken back before it takes effect.
ALTER TABLE approvals
    ADD COLUMN expires_at      timestamptz,
    ADD COLUMN decision        text CHECK (decision IN ('approved', 'denied')),
    ADD COLUMN decided_with    text,
    ADD COLUMN takes_effect_at timestamptz;
UPDATE approvals SET expires_at = created_at + interval '7 days';
ALTER TABLE approvals ALTER COLUMN expires_at SET NOT NULL;

COMMENT ON COLUMN approvals.decision IS 'of a pending one: what it becomes at takes_effect_at';
COMMENT ON COLUMN approvals.decided_by IS 'as whoever decided calls itself';
COMMENT ON COLUMN approvals.decided_with IS 'the credential it was decided with, as we saw it';

DROP INDEX approvals_pending;
CREATE INDEX approvals_pending ON approvals (created_at, id) WHERE status = 'pending';
CREATE INDEX approvals_due ON approvals (coalesce(takes_effect_at, expires_at)) WHERE status = 'pending';
CREATE INDEX approvals_pending_of_workspace ON approvals (workspace_id) WHERE status = 'pending';
