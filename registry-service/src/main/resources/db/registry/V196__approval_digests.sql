-- What was asked for, and what was decided on, each as one digest (docs/wire/registry.md, Approvals). Null of approvals from before.
ALTER TABLE approvals ADD COLUMN digest text, ADD COLUMN decided_digest text;

COMMENT ON COLUMN approvals.digest IS 'of action, reason and context as they were asked for';
COMMENT ON COLUMN approvals.decided_digest IS 'of action, reason and context as they stood when it was decided';

DROP TRIGGER audit_made ON approvals;
CREATE TRIGGER audit_made AFTER INSERT ON approvals FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('approval', 'id', 'workspace_id', 'action task_id digest');
DROP TRIGGER audit_changed ON approvals;
CREATE TRIGGER audit_changed AFTER UPDATE OF status, decision ON approvals FOR EACH ROW
    WHEN ((OLD.status, OLD.decision) IS DISTINCT FROM (NEW.status, NEW.decision))
    EXECUTE FUNCTION log.audit_change('approval', 'id', 'workspace_id', 'decision decided_by decided_with decided_digest takes_effect_at',
        'status=approved:approved', 'status=denied:denied', 'decision=approved:decided', 'decision=denied:decided', 'decision:retracted');
