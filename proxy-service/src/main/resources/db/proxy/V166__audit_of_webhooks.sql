-- Who may send work in from elsewhere, and to whom it goes, is worth a record of who said so, see log.audit_change; what was sent is not.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON webhooks FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('webhook', 'type', 'workspace_id', 'workspace_id title events limit_usd');
CREATE TRIGGER audit_changed AFTER UPDATE ON webhooks FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('webhook', 'type', 'workspace_id', 'workspace_id title brief events limit_usd');
