-- Roles for a tenant: at each of its roots, whichever these are. A table of its own, so that a release that does not know it takes none of
-- them for a role for the organisation.
CREATE TABLE people_tenants (
    person_id uuid NOT NULL REFERENCES people ON DELETE CASCADE,
    tenant    text NOT NULL,
    role      text NOT NULL CHECK (role IN ('viewer', 'operator', 'owner')),
    PRIMARY KEY (person_id, tenant)
);

CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON people_tenants FOR EACH ROW WHEN (pg_trigger_depth() = 0)
    EXECUTE FUNCTION log.audit_change('role', 'person_id', '', 'tenant role');

-- As before (V100), and a role for a tenant is one for each of its roots.
CREATE OR REPLACE FUNCTION person_of(hash bytea, moment timestamptz, workspace uuid) RETURNS text
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
        UNION ALL
        SELECT root.id, rank FROM shown JOIN people_tenants USING (person_id) JOIN ranks USING (role)
            JOIN workspaces AS root ON root.tenant = people_tenants.tenant AND root.status <> 'removed'
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
            ELSE (SELECT coalesce(jsonb_agg(DISTINCT branch), '[]') FROM granted) END)::text
    FROM shown JOIN people ON people.id = shown.person_id JOIN ranks AS most ON most.role = shown.most
    WHERE NOT people.disabled
    $$;
