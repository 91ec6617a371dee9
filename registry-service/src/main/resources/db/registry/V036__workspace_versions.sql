-- Every change of an agent's settings is a version. A trigger writes it at the end of the transaction, so whichever way a setting is
-- changed it is one; several changes of one transaction are one version, and what leaves everything as it was is none.
CREATE TABLE workspace_versions (
    workspace_id  uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    n             integer NOT NULL,
    created_at    timestamptz NOT NULL,
    changed_with  text NOT NULL,      -- the credential that was shown; 'platform' where none was
    restored_from integer,
    settings      jsonb NOT NULL,
    PRIMARY KEY (workspace_id, n)
);

-- Files that are settings (config.yaml, prompts), as they were last written over HTTP. The files themselves are the provisioner's.
CREATE TABLE settings_files (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    path         text NOT NULL,
    content      text NOT NULL,       -- at most 64 KiB
    PRIMARY KEY (workspace_id, path)
);

-- Of secrets the names, and when each got its value; never the value.
CREATE FUNCTION settings_of(workspace uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    AS $$
    SELECT jsonb_build_object(
        'name', w.name, 'role', w.role, 'tier', w.tier, 'runtime', w.runtime, 'workspace_dir', w.workspace_dir,
        'budget_limit', w.budget_limit,
        'config', coalesce((SELECT data FROM registry.workspace_configs AS c WHERE c.workspace_id = w.id), '{}'),
        'secrets', coalesce((SELECT jsonb_object_agg(s.key, to_char(s.updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))
            FROM registry.workspace_secrets AS s WHERE s.workspace_id = w.id), '{}'),
        'files', coalesce((SELECT jsonb_object_agg(f.path, f.content) FROM registry.settings_files AS f WHERE f.workspace_id = w.id), '{}'))
    FROM registry.workspaces AS w WHERE w.id = $1 AND w.status <> 'removed'
    $$;

-- One at a time for a workspace, and each sees what the one before left. Keeps the newest 100, and 4 MiB of them.
CREATE FUNCTION note_version() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
    DECLARE
        workspace uuid := coalesce((to_jsonb(NEW) ->> TG_ARGV[0]), (to_jsonb(OLD) ->> TG_ARGV[0]))::uuid;
        before    registry.workspace_versions;
        chosen    text := current_setting('molecule.model', true);
        now_is    jsonb;
    BEGIN
        PERFORM 1 FROM registry.workspaces WHERE id = workspace FOR NO KEY UPDATE;
        now_is := registry.settings_of(workspace);
        IF now_is IS NULL THEN
            RETURN NULL;
        END IF;
        SELECT * INTO before FROM registry.workspace_versions WHERE workspace_id = workspace ORDER BY n DESC LIMIT 1;
        now_is := now_is || jsonb_build_object('model', CASE
            WHEN chosen IS NOT NULL AND chosen <> '' THEN nullif(chosen, 'default')
            WHEN before.n IS NULL THEN (SELECT model FROM registry.workspaces WHERE id = workspace)
            ELSE before.settings ->> 'model' END);
        IF before.settings = now_is THEN
            RETURN NULL;
        END IF;
        INSERT INTO registry.workspace_versions (workspace_id, n, created_at, changed_with, restored_from, settings)
        VALUES (workspace, coalesce(before.n, 0) + 1, clock_timestamp(),
            coalesce(nullif(current_setting('molecule.changed_with', true), ''), 'platform'),
            nullif(current_setting('molecule.restored_from', true), '')::integer, now_is);
        DELETE FROM registry.workspace_versions AS stale USING (
            SELECT n, row_number() OVER newest AS nth, sum(octet_length(settings::text)) OVER newest AS bytes
            FROM registry.workspace_versions WHERE workspace_id = workspace WINDOW newest AS (ORDER BY n DESC)
        ) AS kept
        WHERE stale.workspace_id = workspace AND stale.n = kept.n AND kept.nth > 1 AND (kept.nth > 100 OR kept.bytes > 4194304);
        RETURN NULL;
    END
    $$;

CREATE CONSTRAINT TRIGGER workspace_made AFTER INSERT ON workspaces
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_version('id');
CREATE CONSTRAINT TRIGGER workspace_changed AFTER UPDATE OF name, role, tier, runtime, workspace_dir, budget_limit ON workspaces
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
    WHEN ((OLD.name, OLD.role, OLD.tier, OLD.runtime, OLD.workspace_dir, OLD.budget_limit)
        IS DISTINCT FROM (NEW.name, NEW.role, NEW.tier, NEW.runtime, NEW.workspace_dir, NEW.budget_limit))
    EXECUTE FUNCTION note_version('id');
CREATE CONSTRAINT TRIGGER config_changed AFTER INSERT OR UPDATE ON workspace_configs
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_version('workspace_id');
CREATE CONSTRAINT TRIGGER secret_changed AFTER INSERT OR DELETE OR UPDATE OF updated_at ON workspace_secrets
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_version('workspace_id');
CREATE CONSTRAINT TRIGGER settings_file_changed AFTER INSERT OR UPDATE OR DELETE ON settings_files
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_version('workspace_id');

-- What there is already begins with a version of what it is now.
INSERT INTO workspace_versions (workspace_id, n, created_at, changed_with, settings)
SELECT id, 1, now(), 'platform', settings_of(id) || jsonb_build_object('model', model) FROM workspaces WHERE status <> 'removed';
