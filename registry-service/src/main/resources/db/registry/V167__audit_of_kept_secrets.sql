-- Who set what the platform proves itself with, to receivers and at messengers, is worth a record, see log.audit_change; never the value.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON kept_secrets FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('platform_secret', 'key', '', 'key_id');
CREATE TRIGGER audit_changed AFTER UPDATE OF updated_at, key_id ON kept_secrets FOR EACH ROW
    WHEN ((OLD.updated_at, OLD.key_id) IS DISTINCT FROM (NEW.updated_at, NEW.key_id))
    EXECUTE FUNCTION log.audit_change('platform_secret', 'key', '', 'key_id', 'updated_at:changed', 'key_id:rotated');
