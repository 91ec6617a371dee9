-- What changed of who may talk to whom, by the branch that it concerns: a workspace and its children, named by that workspace; the roots by
-- zeros. A pair token says the newest change it was issued after, and a workspace hears with its heartbeats of those that came since.
CREATE TABLE branch_changes (
    id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    branch uuid NOT NULL
);

CREATE INDEX branch_changes_newest ON branch_changes (branch, id DESC);

-- The newest change of the two branches that a workspace belongs to; 0 for none.
CREATE FUNCTION branch_version(workspace uuid, parent uuid) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
    SELECT greatest(
        (SELECT id FROM branch_changes WHERE branch = workspace ORDER BY id DESC LIMIT 1),
        (SELECT id FROM branch_changes WHERE branch = coalesce(parent, '00000000-0000-0000-0000-000000000000') ORDER BY id DESC LIMIT 1),
        0)
    $$;

-- Rows are only added, so that no two changes wait for each other.
CREATE FUNCTION note_branch_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO branch_changes (branch)
    SELECT DISTINCT coalesce(concerned, '00000000-0000-0000-0000-000000000000')
    FROM unnest(ARRAY[NEW.id, OLD.parent_id, NEW.parent_id]) AS concerned;
    RETURN NULL;
END
$$;

CREATE TRIGGER note_branch_change AFTER UPDATE OF parent_id, admitted, quarantined, desired, incarnation ON workspaces FOR EACH ROW
    WHEN ((OLD.parent_id, OLD.admitted, OLD.quarantined, OLD.desired, OLD.incarnation)
        IS DISTINCT FROM (NEW.parent_id, NEW.admitted, NEW.quarantined, NEW.desired, NEW.incarnation))
    EXECUTE FUNCTION note_branch_change();

-- Whoever loses a token may have lost what was issued for it.
CREATE FUNCTION note_token_revoked() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    INSERT INTO branch_changes (branch)
    SELECT coalesce(concerned, '00000000-0000-0000-0000-000000000000')
    FROM workspaces, unnest(ARRAY[id, parent_id]) AS concerned WHERE id = NEW.workspace_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER note_token_revoked AFTER UPDATE OF revoked_at ON workspace_tokens FOR EACH ROW
    WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
    EXECUTE FUNCTION note_token_revoked();
