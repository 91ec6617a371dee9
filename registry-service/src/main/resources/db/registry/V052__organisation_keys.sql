-- The organisation's keys (Ed25519), with which the platform signs what agents and auditors check by themselves. The private part is sealed
-- like a secret, and erased when the key is retired; the public one stays, because what it signed stays.
CREATE TABLE organisation_keys (
    kid                text PRIMARY KEY,
    public_key         bytea NOT NULL CHECK (octet_length(public_key) = 32),
    encrypted_value    bytea,
    encryption_version integer,
    key_id             text,
    created_at         timestamptz NOT NULL,
    signs_from         timestamptz NOT NULL,
    retires_at         timestamptz
);

COMMENT ON COLUMN organisation_keys.encrypted_value IS 'the private part, in Base64, sealed as those of secrets are; null once it is retired';
COMMENT ON COLUMN organisation_keys.signs_from IS 'later than it is published, so that whoever checks knows it by then';
COMMENT ON COLUMN organisation_keys.retires_at IS 'from then on nobody believes what it signs anew; null for the newest';

CREATE TRIGGER audit_made AFTER INSERT ON organisation_keys FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('organisation_key', 'kid', '', 'signs_from');
CREATE TRIGGER audit_changed AFTER UPDATE OF retires_at ON organisation_keys FOR EACH ROW
    WHEN (OLD.retires_at IS DISTINCT FROM NEW.retires_at)
    EXECUTE FUNCTION log.audit_change('organisation_key', 'kid', '', 'retires_at', 'retires_at:retired');
