-- Whether a person is there, not disabled, and may act as an operator at that workspace now: by a role for the organization, for the workspace or
-- one above it, or for the tenant of its root.
CREATE FUNCTION may_act(person uuid, workspace uuid) RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
    WITH RECURSIVE above (id, parent_id, tenant) AS (
        SELECT id, parent_id, tenant FROM workspaces WHERE id = workspace
        UNION
        SELECT parent.id, parent.parent_id, parent.tenant FROM workspaces AS parent JOIN above ON parent.id = above.parent_id
    )
    SELECT EXISTS (SELECT 1 FROM people WHERE people.id = person AND NOT disabled)
        AND (EXISTS (SELECT 1 FROM above JOIN people_roles ON branch IS NULL OR branch = above.id
                     WHERE person_id = person AND people_roles.role <> 'viewer')
            OR EXISTS (SELECT 1 FROM above JOIN people_tenants USING (tenant)
                       WHERE person_id = person AND people_tenants.role <> 'viewer'))
    $$;

-- Who made it by a role for branches or tenants only: it cannot be claimed while that person may not act there. No reference: it is read while the
-- person goes.
ALTER TABLE invitations ADD COLUMN made_by uuid;
