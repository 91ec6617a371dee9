-- What may be spent is worth a record of who said so, see log.audit_change; what is spent is not.
CREATE TRIGGER audit_changed AFTER UPDATE OF limit_usd ON works FOR EACH ROW WHEN (OLD.limit_usd IS DISTINCT FROM NEW.limit_usd)
    EXECUTE FUNCTION log.audit_change('work', 'id', 'workspace_id', 'limit_usd', 'limit_usd:limited');
CREATE TRIGGER audit_changed AFTER UPDATE OF limit_usd ON delegations FOR EACH ROW WHEN (OLD.limit_usd IS DISTINCT FROM NEW.limit_usd)
    EXECUTE FUNCTION log.audit_change('delegation', 'delegation_id', 'source_id', 'limit_usd', 'limit_usd:limited');
