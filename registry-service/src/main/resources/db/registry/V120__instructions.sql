-- House rules: what administrators tell agents, all of them, a workspace with all below it, or one.
CREATE TABLE instructions (
    id           uuid PRIMARY KEY,
    scope        text NOT NULL CHECK (scope IN ('global', 'team', 'workspace')),
    scope_target uuid REFERENCES workspaces (id) ON DELETE CASCADE,
    title        text NOT NULL,
    content      text NOT NULL,                 -- at most 8,192 characters
    priority     integer NOT NULL,              -- the higher, the earlier an agent reads it
    enabled      boolean NOT NULL,
    created_at   timestamptz NOT NULL,
    updated_at   timestamptz NOT NULL,
    CHECK ((scope = 'global') = (scope_target IS NULL))
);

CREATE INDEX instructions_of ON instructions (scope_target) WHERE scope_target IS NOT NULL;

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON instructions FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('instruction', 'id', 'scope_target', 'scope title priority enabled');
CREATE TRIGGER audit_changed AFTER UPDATE ON instructions FOR EACH ROW
    WHEN ((OLD.title, OLD.content, OLD.priority, OLD.enabled) IS DISTINCT FROM (NEW.title, NEW.content, NEW.priority, NEW.enabled))
    EXECUTE FUNCTION log.audit_change('instruction', 'id', 'scope_target', 'title priority enabled');
