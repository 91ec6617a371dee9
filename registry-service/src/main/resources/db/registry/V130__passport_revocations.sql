-- Passports that are believed no more: one with all that was handed on from it (value is its jti), all of a piece of work (its id), or all that
-- were issued on somebody's behalf until then (as the credential is recorded, person:kim). Kept as long as a passport can hold.
CREATE TABLE passport_revocations (
    id         uuid PRIMARY KEY,
    kind       text NOT NULL CHECK (kind IN ('passport', 'work', 'principal')),
    value      text NOT NULL,
    reason     text NOT NULL,
    revoked_by text NOT NULL,
    revoked_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX passport_revocations_of ON passport_revocations (value, kind);
CREATE INDEX passport_revocations_newest ON passport_revocations (revoked_at DESC, id);

CREATE TRIGGER audit_made AFTER INSERT ON passport_revocations FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('passport_revocation', 'value', '', 'kind reason');

-- What somebody allowed ends when they are shut out, as their sessions and tokens do.
CREATE FUNCTION revoke_passports_of() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO passport_revocations (id, kind, value, reason, revoked_by)
    VALUES (gen_random_uuid(), 'principal', 'person:' || OLD.login, 'the person was shut out', 'platform');
    RETURN NULL;
END
$$;

CREATE TRIGGER passports_end_with_the_person AFTER DELETE ON people FOR EACH ROW EXECUTE FUNCTION revoke_passports_of();
CREATE TRIGGER passports_end_when_shut_out AFTER UPDATE OF disabled ON people FOR EACH ROW
    WHEN (NEW.disabled AND NOT OLD.disabled) EXECUTE FUNCTION revoke_passports_of();

-- On whose behalf an agent asks for a decision, and the passport it asked under; null where it showed none.
ALTER TABLE approvals ADD COLUMN passport_id uuid, ADD COLUMN on_behalf_of text;
