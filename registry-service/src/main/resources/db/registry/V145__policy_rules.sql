-- Rules that an operator adds to the org chart's: what else is refused, for the organisation or for a branch of it.
CREATE TABLE policy_rules (
    name        text NOT NULL,
    branch      uuid REFERENCES workspaces (id) ON DELETE CASCADE,   -- null: the organisation's
    refuse_when text NOT NULL,                  -- CEL, at most 1,000 characters
    says        text NOT NULL,                  -- why, for whoever is refused
    mode        text NOT NULL CHECK (mode IN ('observe', 'enforce')),
    created_at  timestamptz NOT NULL,
    updated_at  timestamptz NOT NULL,
    UNIQUE NULLS NOT DISTINCT (branch, name)
);

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON policy_rules FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('policy', 'name', 'branch', 'mode refuse_when says');
CREATE TRIGGER audit_changed AFTER UPDATE ON policy_rules FOR EACH ROW
    WHEN ((OLD.mode, OLD.refuse_when, OLD.says) IS DISTINCT FROM (NEW.mode, NEW.refuse_when, NEW.says))
    EXECUTE FUNCTION log.audit_change('policy', 'name', 'branch', 'mode refuse_when says');
