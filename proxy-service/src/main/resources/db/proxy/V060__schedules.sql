-- What agents are told by the clock. A schedule with due_at set has a tick to come: at that time, or, while a replica has it in its
-- hands, when its lease ends. Every change by hand takes a claim away, so that nobody acts on what was said before.
CREATE TABLE schedules (
    id                    uuid PRIMARY KEY,
    workspace_id          uuid NOT NULL,
    name                  text NOT NULL,
    expression            text NOT NULL,               -- cron, @every or @at
    timezone              text NOT NULL,
    prompt                text NOT NULL,
    enabled               boolean NOT NULL,
    missed                text NOT NULL CHECK (missed IN ('skip', 'once', 'all')),
    missed_window_seconds integer NOT NULL,
    overlap               text NOT NULL CHECK (overlap IN ('skip', 'queue', 'replace')),
    jitter_seconds        integer NOT NULL,
    source                text NOT NULL CHECK (source IN ('runtime', 'template')),
    anchor                timestamptz NOT NULL,        -- from when intervals are counted
    next_run_at           timestamptz,                 -- the tick to come, without its jitter
    due_at                timestamptz,
    claim                 bigint NOT NULL DEFAULT 0,
    last_run_at           timestamptz,
    run_count             bigint NOT NULL DEFAULT 0,
    last_status           text NOT NULL DEFAULT '',
    last_error            text NOT NULL DEFAULT '',
    created_at            timestamptz NOT NULL,
    updated_at            timestamptz NOT NULL,
    UNIQUE (workspace_id, name)
);

CREATE INDEX schedules_due ON schedules (due_at) WHERE due_at IS NOT NULL;

-- Each tick that came, once: what became of it, or why nothing did.
CREATE TABLE schedule_runs (
    id           uuid PRIMARY KEY,
    schedule_id  uuid NOT NULL REFERENCES schedules ON DELETE CASCADE,
    workspace_id uuid NOT NULL,
    tick_at      timestamptz NOT NULL,
    status       text NOT NULL CHECK (status IN ('queued', 'ok', 'error', 'missed', 'skipped')),
    reason       text,
    queue_id     uuid,                                 -- its message's, and its task's
    message_id   text,
    sent_again   boolean NOT NULL DEFAULT false,       -- the agent said that it never saw the first one
    started_at   timestamptz NOT NULL,
    ended_at     timestamptz,
    UNIQUE (schedule_id, tick_at)
);

CREATE INDEX schedule_runs_open ON schedule_runs (schedule_id) WHERE ended_at IS NULL;
CREATE INDEX schedule_runs_of_message ON schedule_runs (queue_id) WHERE ended_at IS NULL AND queue_id IS NOT NULL;
CREATE INDEX schedule_runs_age ON schedule_runs (started_at);

-- What a schedule says is worth a record of who said so, see log.audit_change; its ticks are not.
CREATE TRIGGER audit_made AFTER INSERT OR DELETE ON schedules FOR EACH ROW
    EXECUTE FUNCTION log.audit_change('schedule', 'id', 'workspace_id', 'name expression timezone enabled');
CREATE TRIGGER audit_changed AFTER UPDATE OF name, expression, timezone, prompt, enabled, missed, overlap ON schedules FOR EACH ROW
    WHEN ((OLD.name, OLD.expression, OLD.timezone, OLD.prompt, OLD.enabled, OLD.missed, OLD.overlap)
        IS DISTINCT FROM (NEW.name, NEW.expression, NEW.timezone, NEW.prompt, NEW.enabled, NEW.missed, NEW.overlap))
    EXECUTE FUNCTION log.audit_change('schedule', 'id', 'workspace_id', 'name expression timezone enabled missed overlap');
