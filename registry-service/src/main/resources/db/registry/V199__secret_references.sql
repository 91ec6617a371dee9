-- A secret may be a reference to a value in a store outside: what is sealed is then the reference (encryption_version 3, or 4 in clear).
ALTER TABLE workspace_secrets ADD COLUMN store text;
ALTER TABLE global_secrets ADD COLUMN store text;

COMMENT ON COLUMN workspace_secrets.store IS 'vault, file or exec; only where encryption_version is 3 or 4';
COMMENT ON COLUMN global_secrets.store IS 'vault, file or exec; only where encryption_version is 3 or 4';

-- The record says which store, too.
DROP TRIGGER audit_made ON workspace_secrets;
DROP TRIGGER audit_changed ON workspace_secrets;
DROP TRIGGER audit_made ON global_secrets;
DROP TRIGGER audit_changed ON global_secrets;

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON workspace_secrets FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('secret', 'key', 'workspace_id', 'key_id store');
CREATE TRIGGER audit_changed AFTER UPDATE OF updated_at, key_id ON workspace_secrets FOR EACH ROW
    WHEN ((OLD.updated_at, OLD.key_id) IS DISTINCT FROM (NEW.updated_at, NEW.key_id))
    EXECUTE FUNCTION log.audit_change('secret', 'key', 'workspace_id', 'key_id store', 'updated_at:changed', 'key_id:rotated');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON global_secrets FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('global_secret', 'key', '', 'key_id store granted_to');
CREATE TRIGGER audit_changed AFTER UPDATE OF updated_at, key_id, granted_to ON global_secrets FOR EACH ROW
    WHEN ((OLD.updated_at, OLD.key_id, OLD.granted_to) IS DISTINCT FROM (NEW.updated_at, NEW.key_id, NEW.granted_to))
    EXECUTE FUNCTION log.audit_change('global_secret', 'key', '', 'key_id store granted_to', 'granted_to:granted', 'updated_at:changed',
        'key_id:rotated');
