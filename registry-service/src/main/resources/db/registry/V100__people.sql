-- People with names. login is what one signs in with and what the record calls it: lower case, and never another's again while the row stands.
-- One without a password and without an identity at a provider has not come yet.
CREATE TABLE people (
    id            uuid PRIMARY KEY,
    login         text NOT NULL UNIQUE CHECK (login = lower(login)),
    name          text NOT NULL,
    password_hash text,
    issuer        text,
    subject       text,
    disabled      boolean NOT NULL DEFAULT false,
    created_at    timestamptz NOT NULL,
    signed_in_at  timestamptz,
    UNIQUE (issuer, subject)
);

-- What a person may do: for the organisation (branch is null), or for one workspace and all below it. A branch that is gone opens nothing.
CREATE TABLE people_roles (
    person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
    branch    uuid,
    role      text NOT NULL CHECK (role IN ('viewer', 'operator', 'owner')),
    UNIQUE NULLS NOT DISTINCT (person_id, branch)
);

-- Links that work once, by hash: for somebody invited, or for whoever becomes the first owner (person_id is null).
CREATE TABLE people_links (
    token_hash bytea PRIMARY KEY,
    person_id  uuid REFERENCES people ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);

-- Bearers of a person's for programs: never more than the role says, nor beyond the branch, nor longer than until their end.
CREATE TABLE person_tokens (
    id           uuid PRIMARY KEY,
    person_id    uuid NOT NULL REFERENCES people ON DELETE CASCADE,
    token_hash   bytea NOT NULL UNIQUE,
    prefix       text NOT NULL,
    name         text NOT NULL,
    role         text NOT NULL CHECK (role IN ('viewer', 'operator', 'owner')),
    branch       uuid,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    revoked_at   timestamptz
);
CREATE INDEX person_tokens_live ON person_tokens (person_id, created_at DESC) WHERE revoked_at IS NULL;

-- Sign-ins that went to a provider and have not come back. Taken out by whoever comes back with the state.
CREATE TABLE sign_ins (
    state_hash bytea PRIMARY KEY,
    provider   text NOT NULL,
    nonce      text NOT NULL,
    verifier   text NOT NULL,
    link_hash  bytea,
    created_at timestamptz NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX sign_ins_by_age ON sign_ins (created_at DESC);

-- Programs that wait to be allowed by a person (RFC 8628).
CREATE TABLE devices (
    device_hash bytea PRIMARY KEY,
    user_code   text NOT NULL UNIQUE,
    name        text NOT NULL,
    address     text NOT NULL,
    created_at  timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    asked_at    timestamptz,
    person_id   uuid REFERENCES people ON DELETE CASCADE,
    allowed     boolean,
    role        text,
    branch      uuid,
    days        integer
);
CREATE INDEX devices_by_age ON devices (created_at DESC);

-- id_token: what ends the session at the provider too, where it came from one.
ALTER TABLE sessions
    ADD COLUMN id        uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN person_id uuid REFERENCES people ON DELETE CASCADE,
    ADD COLUMN address   text,
    ADD COLUMN agent     text,
    ADD COLUMN provider  text,
    ADD COLUMN id_token  text;
CREATE INDEX sessions_of_person ON sessions (person_id, created_at DESC) WHERE person_id IS NOT NULL;

-- Whom a credential proves, as {"id", "login", "name", "organisation", "there", "branches", "credential"}; null for nobody. A token opens at most
-- its role, and nothing outside its branch. Roles below a branch are looked up by its ancestors, because a chart changes.
CREATE FUNCTION person_of(hash bytea, moment timestamptz, workspace uuid) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    WITH RECURSIVE ranks (role, rank) AS (VALUES ('viewer', 1), ('operator', 2), ('owner', 3)),
    shown AS (
        SELECT person_id, 'owner' AS most, NULL::uuid AS within, 'session:' || left(encode(token_hash, 'hex'), 8) AS credential
        FROM sessions WHERE token_hash = hash AND expires_at > moment AND person_id IS NOT NULL
        UNION ALL
        SELECT person_id, role, branch, 'token:' || prefix
        FROM person_tokens WHERE token_hash = hash AND revoked_at IS NULL AND expires_at > moment
    ),
    above (id, parent_id) AS (
        SELECT id, parent_id FROM workspaces WHERE id = workspace
        UNION
        SELECT parent.id, parent.parent_id FROM workspaces AS parent JOIN above ON parent.id = above.parent_id
    ),
    above_token (id, parent_id) AS (
        SELECT workspaces.id, workspaces.parent_id FROM workspaces JOIN shown ON workspaces.id = shown.within
        UNION
        SELECT parent.id, parent.parent_id FROM workspaces AS parent JOIN above_token ON parent.id = above_token.parent_id
    ),
    granted AS (
        SELECT people_roles.branch, rank FROM shown JOIN people_roles USING (person_id) JOIN ranks USING (role)
    )
    SELECT jsonb_build_object(
        'id', people.id, 'login', people.login, 'name', people.name, 'credential', shown.credential,
        'organisation', CASE WHEN shown.within IS NULL THEN
            (SELECT upper(role) FROM ranks WHERE rank = least(most.rank, (SELECT max(rank) FROM granted WHERE branch IS NULL))
                AND EXISTS (SELECT 1 FROM granted WHERE branch IS NULL)) END,
        'there', CASE WHEN workspace IS NOT NULL AND (shown.within IS NULL OR shown.within IN (SELECT id FROM above)) THEN
            (SELECT upper(role) FROM ranks, LATERAL (SELECT max(granted.rank) AS rank FROM granted
                WHERE branch IS NULL OR branch IN (SELECT id FROM above)) AS most_there
             WHERE ranks.rank = least(most.rank, most_there.rank) AND most_there.rank IS NOT NULL) END,
        'branches', CASE
            WHEN shown.within IS NOT NULL THEN
                CASE WHEN EXISTS (SELECT 1 FROM granted WHERE branch IS NULL OR branch IN (SELECT id FROM above_token))
                    THEN jsonb_build_array(shown.within) ELSE '[]' END
            WHEN EXISTS (SELECT 1 FROM granted WHERE branch IS NULL) THEN '[]'
            ELSE (SELECT coalesce(jsonb_agg(branch), '[]') FROM granted) END)::text
    FROM shown JOIN people ON people.id = shown.person_id JOIN ranks AS most ON most.role = shown.most
    WHERE NOT people.disabled
    $$;

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON people FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('person', 'login', '', 'id name issuer');
CREATE TRIGGER audit_changed AFTER UPDATE OF name, password_hash, issuer, subject, disabled ON people FOR EACH ROW
    WHEN ((OLD.name, OLD.password_hash, OLD.issuer, OLD.subject, OLD.disabled)
        IS DISTINCT FROM (NEW.name, NEW.password_hash, NEW.issuer, NEW.subject, NEW.disabled))
    EXECUTE FUNCTION log.audit_change('person', 'login', '', 'name issuer', 'disabled=true:disabled', 'disabled=false:enabled',
        'subject:identified', 'password_hash:password_set');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON people_roles FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('role', 'person_id', 'branch', 'role');

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON people_links FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('person_link', 'token_hash', '', 'person_id expires_at');

CREATE TRIGGER audit_made AFTER INSERT ON person_tokens FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('person_token', 'id', 'branch', 'person_id prefix name role expires_at');
CREATE TRIGGER audit_changed AFTER UPDATE OF revoked_at ON person_tokens FOR EACH ROW WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at)
    EXECUTE FUNCTION log.audit_change('person_token', 'id', 'branch', 'prefix', 'revoked_at:revoked');

DROP TRIGGER audit_made ON sessions;
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON sessions FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('session', 'token_hash', '', 'person_id expires_at provider');
