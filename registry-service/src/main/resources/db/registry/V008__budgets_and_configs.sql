-- Spend counts for a calendar month (UTC); heartbeats say which.
ALTER TABLE heartbeats
    ADD COLUMN spend_month date NOT NULL DEFAULT date_trunc('month', now() AT TIME ZONE 'UTC');

-- What clients keep about a workspace; independent of its config.yaml.
CREATE TABLE workspace_configs (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    data         jsonb NOT NULL,
    updated_at   timestamptz NOT NULL
);
