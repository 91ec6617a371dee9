-- What the provisioner did for each workspace: the start it made, the process that came of it, and its deaths. A row is written
-- before anything is done for its workspace and deleted after everything is undone.
CREATE TABLE instances (
    workspace_id       uuid PRIMARY KEY,
    incarnation        integer NOT NULL,
    state              text NOT NULL CHECK (state IN ('starting', 'running', 'exited', 'stopped', 'failed')),
    pid                bigint,
    process_started_at timestamptz,
    port               integer UNIQUE,
    attempts           integer NOT NULL DEFAULT 0,
    deaths             timestamptz[] NOT NULL DEFAULT '{}',
    restart_at         timestamptz,
    last_exit          text,
    updated_at         timestamptz NOT NULL,
    CHECK ((pid IS NULL) = (process_started_at IS NULL)),
    CHECK ((state = 'running') = (pid IS NOT NULL))
);
