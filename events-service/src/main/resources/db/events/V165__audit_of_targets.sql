-- Who is told of what waits, and by which bot, is worth a record of who said so, see log.audit_change. What they are told is not; an address may
-- open something, so that it changed is told and not what it is.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON notification_targets FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('notification_target', 'id', '', 'name who channel kinds enabled');
CREATE TRIGGER audit_changed AFTER UPDATE OF name, who, url, mail, kinds, quiet_from, quiet_to, digest_at, zone, deputy, deputy_until, enabled
    ON notification_targets FOR EACH ROW
    WHEN ((OLD.name, OLD.who, OLD.url, OLD.mail, OLD.kinds, OLD.quiet_from, OLD.quiet_to, OLD.digest_at, OLD.zone, OLD.deputy,
            OLD.deputy_until, OLD.enabled)
        IS DISTINCT FROM (NEW.name, NEW.who, NEW.url, NEW.mail, NEW.kinds, NEW.quiet_from, NEW.quiet_to, NEW.digest_at, NEW.zone, NEW.deputy,
            NEW.deputy_until, NEW.enabled))
    EXECUTE FUNCTION log.audit_change('notification_target', 'id', '',
        'name who kinds quiet_from quiet_to digest_at zone deputy deputy_until enabled');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON chat_bots FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('bot', 'channel', '', 'url bot');
CREATE TRIGGER audit_changed AFTER UPDATE OF url, bot ON chat_bots FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('bot', 'channel', '', 'url bot');
