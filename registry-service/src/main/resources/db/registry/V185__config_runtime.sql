-- A restart follows the runtime that the agent's config.yaml names only where the file names another than it did when it was last read: a
-- runtime that was chosen since then stays.
ALTER TABLE workspaces ADD COLUMN config_runtime text;

COMMENT ON COLUMN workspaces.config_runtime IS 'the runtime that config.yaml named when a restart last read it, or when another was first chosen; null before';
