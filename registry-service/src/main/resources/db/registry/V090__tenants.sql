-- A root may carry a tenant, to which all below it belong. Roots of different tenants are strangers, and those without one among themselves
-- what they always were. The scope stands where a parent would in the question who is near whom, so that one rule answers it.
ALTER TABLE workspaces ADD COLUMN tenant text;
ALTER TABLE workspaces ADD COLUMN tenant_scope uuid GENERATED ALWAYS AS (md5('tenant:' || tenant)::uuid) STORED;
ALTER TABLE workspaces ADD CONSTRAINT workspaces_tenant_of_root CHECK (tenant IS NULL OR parent_id IS NULL);

CREATE INDEX workspaces_with_tenant ON workspaces (tenant) WHERE tenant IS NOT NULL;

COMMENT ON COLUMN workspaces.tenant IS 'of a root; those below have that of their root';

-- That of its root; null for none. UNION ends a circle, which cannot be.
CREATE FUNCTION tenant_of(workspace uuid) RETURNS text
    LANGUAGE sql STABLE
    AS $$
    WITH RECURSIVE above (id, parent_id, tenant) AS (
        SELECT id, parent_id, tenant FROM registry.workspaces WHERE id = workspace
        UNION
        SELECT w.id, w.parent_id, w.tenant FROM registry.workspaces AS w JOIN above ON w.id = above.parent_id
    )
    SELECT tenant FROM above WHERE parent_id IS NULL
    $$;

-- Who becomes a root by a move stays its tenant's; who ceases to be one is of the tenant it comes into.
CREATE FUNCTION carry_tenant() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    NEW.tenant := CASE WHEN NEW.parent_id IS NULL THEN registry.tenant_of(OLD.parent_id) END;
    RETURN NEW;
END
$$;

CREATE TRIGGER carry_tenant BEFORE UPDATE OF parent_id ON workspaces FOR EACH ROW
    WHEN (OLD.parent_id IS DISTINCT FROM NEW.parent_id) EXECUTE FUNCTION carry_tenant();

-- It is a change of who may talk to whom: tokens for two from before are worth nothing.
CREATE TRIGGER note_tenant_change AFTER UPDATE OF tenant ON workspaces FOR EACH ROW
    WHEN (OLD.tenant IS DISTINCT FROM NEW.tenant) EXECUTE FUNCTION note_branch_change();

CREATE TRIGGER audit_tenant AFTER UPDATE OF tenant ON workspaces FOR EACH ROW WHEN (OLD.tenant IS DISTINCT FROM NEW.tenant)
    EXECUTE FUNCTION log.audit_change('workspace', 'id', 'id', 'tenant', 'tenant:given_to_tenant');
