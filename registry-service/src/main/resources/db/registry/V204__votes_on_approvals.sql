-- Who must decide an approval, and who has: each vote as {"by", "with", "decision", "digest", "shown", "at"}, at most two.
ALTER TABLE approvals
    ADD COLUMN deciders     jsonb,
    ADD COLUMN votes        jsonb NOT NULL DEFAULT '[]',
    ADD COLUMN asked_by     text,
    ADD COLUMN escalates_at timestamptz,
    ADD COLUMN escalated_at timestamptz;

COMMENT ON COLUMN approvals.deciders IS 'what the rule it was asked under demands; null without one';
COMMENT ON COLUMN approvals.asked_by IS 'the login of the person who asked for it over the API; null where an agent did';
COMMENT ON COLUMN approvals.escalates_at IS 'from when others may decide, too; null for never';

-- For the loop that escalates, and for the export, which goes through a period.
CREATE INDEX approvals_to_escalate ON approvals (escalates_at) WHERE status = 'pending' AND escalates_at IS NOT NULL AND escalated_at IS NULL;
CREATE INDEX approvals_by_age ON approvals (created_at, id);

DROP TRIGGER audit_made ON approvals;
CREATE TRIGGER audit_made AFTER INSERT ON approvals FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('approval', 'id', 'workspace_id', 'action task_id digest deciders asked_by');
DROP TRIGGER audit_changed ON approvals;
CREATE TRIGGER audit_changed AFTER UPDATE OF status, decision, votes, escalated_at ON approvals FOR EACH ROW
    WHEN ((OLD.status, OLD.decision, OLD.votes, OLD.escalated_at) IS DISTINCT FROM (NEW.status, NEW.decision, NEW.votes, NEW.escalated_at))
    EXECUTE FUNCTION log.audit_change('approval', 'id', 'workspace_id',
        'decision decided_by decided_with decided_digest takes_effect_at votes escalated_at',
        'status=approved:approved', 'status=denied:denied', 'decision=approved:decided', 'decision=denied:decided', 'decision:retracted',
        'votes=[]:retracted', 'votes:voted', 'escalated_at:escalated');
