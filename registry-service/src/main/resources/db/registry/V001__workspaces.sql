-- Who exists, where, and what is wanted of it. Only this service writes here.
CREATE TABLE workspaces (
    id                    uuid PRIMARY KEY,
    name                  text NOT NULL,
    role                  text,
    parent_id             uuid REFERENCES workspaces (id),
    status                text NOT NULL CHECK (status IN ('provisioning', 'online', 'degraded', 'offline', 'paused',
                                                          'failed', 'removed', 'awaiting_agent', 'hibernated')),
    status_since          timestamptz NOT NULL,
    desired               text NOT NULL DEFAULT 'running' CHECK (desired IN ('running', 'paused', 'removed')),
    incarnation           integer NOT NULL DEFAULT 1,
    version               bigint NOT NULL DEFAULT 1,
    managed               boolean NOT NULL,
    runtime               text NOT NULL,
    model                 text,
    template              text,
    tier                  integer NOT NULL,
    url                   text NOT NULL DEFAULT '',
    endpoint_url          text,
    endpoint_internal_url text,
    agent_card            jsonb,
    workspace_dir         text,
    workspace_access      text NOT NULL DEFAULT 'none' CHECK (workspace_access IN ('none', 'read_only', 'read_write')),
    budget_limit          bigint,
    max_concurrent_tasks  integer NOT NULL DEFAULT 1,
    awareness_namespace   text NOT NULL,
    last_outbound_at      timestamptz,
    created_at            timestamptz NOT NULL,
    updated_at            timestamptz NOT NULL
) WITH (fillfactor = 80);

COMMENT ON COLUMN workspaces.managed IS 'whether the platform starts its agent';
COMMENT ON COLUMN workspaces.url IS 'as the agent registered it; empty when unknown';
COMMENT ON COLUMN workspaces.endpoint_url IS 'as the provisioner recorded it; takes precedence over url';

CREATE INDEX workspaces_of_parent ON workspaces (parent_id);

-- What agents say every few seconds. Narrow, half-filled pages and no index but the key: every update stays on its page.
CREATE TABLE heartbeats (
    workspace_id      uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    last_heartbeat_at timestamptz,
    error_rate        double precision NOT NULL DEFAULT 0,
    sample_error      text NOT NULL DEFAULT '',
    active_tasks      integer NOT NULL DEFAULT 0,
    current_task      text NOT NULL DEFAULT '',
    uptime_seconds    integer NOT NULL DEFAULT 0,
    monthly_spend     bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);

CREATE TABLE canvas_layouts (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    x            double precision NOT NULL DEFAULT 0,
    y            double precision NOT NULL DEFAULT 0,
    collapsed    boolean NOT NULL DEFAULT false
);

CREATE TABLE canvas_viewport (
    one  boolean PRIMARY KEY DEFAULT true CHECK (one),
    x    double precision NOT NULL,
    y    double precision NOT NULL,
    zoom double precision NOT NULL
);
