-- Who decides approvals: rules of the organization. At most 50; those of a team go with its workspace.
CREATE TABLE approval_rules (
    name         text PRIMARY KEY,
    team         uuid REFERENCES workspaces (id) ON DELETE CASCADE,   -- null: the organization's
    priority     integer NOT NULL,               -- the highest that is for an approval counts
    applies_when text NOT NULL,                  -- CEL, at most 1,000 characters
    requires     jsonb NOT NULL,                 -- who decides, how many of them, who else after how long
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL
);

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON approval_rules FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('approval_rule', 'name', 'team', 'priority applies_when requires');
CREATE TRIGGER audit_changed AFTER UPDATE ON approval_rules FOR EACH ROW
    WHEN ((OLD.team, OLD.priority, OLD.applies_when, OLD.requires) IS DISTINCT FROM (NEW.team, NEW.priority, NEW.applies_when, NEW.requires))
    EXECUTE FUNCTION log.audit_change('approval_rule', 'name', 'team', 'team priority applies_when requires');
