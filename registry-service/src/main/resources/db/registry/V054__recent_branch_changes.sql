-- Heartbeats are answered from memory: what each group of them reads is only what changed since the group before. A number is given out
-- before it is committed, so "since" is told by the transaction: whatever one that is still open may yet add is read again.
ALTER TABLE branch_changes ADD COLUMN changed_in bigint NOT NULL DEFAULT pg_current_xact_id()::text::bigint;

CREATE INDEX branch_changes_recent ON branch_changes (changed_in);

-- Of a branch that is gone nobody asks any more; with this, and what the registry sweeps every ten seconds, there is a row for each branch.
CREATE FUNCTION forget_branch() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    DELETE FROM branch_changes WHERE id IN (
        SELECT id FROM branch_changes WHERE branch = OLD.id ORDER BY id FOR UPDATE SKIP LOCKED);
    RETURN NULL;
END
$$;

CREATE TRIGGER forget_branch AFTER DELETE ON workspaces FOR EACH ROW EXECUTE FUNCTION forget_branch();
