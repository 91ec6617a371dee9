-- For which workspace a global secret was handed out last; of its own secrets that is the workspace itself.
ALTER TABLE global_secrets ADD COLUMN last_read_by uuid;

-- What the agent of a workspace was told: a row since it first asked, deleted with its workspace. version counts the changes of secrets that
-- may concern it, told is the one that its values are of.
CREATE TABLE secret_holders (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    version      bigint NOT NULL DEFAULT 1,
    told         bigint NOT NULL DEFAULT 1,
    changed_at   timestamptz,
    follower     integer
);

COMMENT ON COLUMN secret_holders.changed_at IS 'the first change since it was told; null when there is none';
COMMENT ON COLUMN secret_holders.follower IS 'the start that asks for new values by itself, so that no restart is needed for them';

CREATE INDEX secret_holders_outdated ON secret_holders (workspace_id) WHERE told < version;
