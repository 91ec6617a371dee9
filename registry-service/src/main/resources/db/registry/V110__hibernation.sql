-- Agents that sleep: stopped while nobody needs them, started by what comes next.
ALTER TABLE workspaces DROP CONSTRAINT workspaces_desired_check;
ALTER TABLE workspaces ADD CONSTRAINT workspaces_desired_check CHECK (desired IN ('running', 'paused', 'sleeping', 'removed'));

ALTER TABLE workspaces
    ADD COLUMN hibernation_idle_minutes integer CHECK (hibernation_idle_minutes >= 0),
    ADD COLUMN waking_incarnation       integer;

COMMENT ON COLUMN workspaces.hibernation_idle_minutes IS 'of itself and all below that say nothing else; 0 never sleeps, null is as above';
COMMENT ON COLUMN workspaces.waking_incarnation IS 'the last start that was made of sleep';

CREATE INDEX workspaces_with_idle_minutes ON workspaces (id) WHERE hibernation_idle_minutes > 0;

-- Nobody waits for a word of who sleeps: looks for the silent pass over it.
ALTER TABLE heartbeats
    ADD COLUMN last_busy_at timestamptz,
    ADD COLUMN asleep       boolean NOT NULL DEFAULT false;

-- Who sleeps and was answered lately is woken for it.
CREATE INDEX approvals_decided ON approvals (decided_at) WHERE decided_at IS NOT NULL;

-- That of the nearest, itself included, that says something; else the platform's. The distance ends a circle, which cannot be.
CREATE FUNCTION idle_minutes(workspace uuid, platforms integer) RETURNS integer
    LANGUAGE sql STABLE
    AS $$
    WITH RECURSIVE above (parent_id, minutes, distance) AS (
        SELECT parent_id, hibernation_idle_minutes, 0 FROM registry.workspaces WHERE id = workspace
        UNION ALL
        SELECT w.parent_id, w.hibernation_idle_minutes, distance + 1
        FROM above JOIN registry.workspaces AS w ON w.id = above.parent_id
        WHERE above.minutes IS NULL AND distance < 100
    )
    SELECT coalesce((SELECT minutes FROM above WHERE minutes IS NOT NULL LIMIT 1), platforms)
    $$;

-- As in V044, with who sleeps, and for how long nothing must be asked of it.
DROP TRIGGER audit_changed ON workspaces;
CREATE TRIGGER audit_changed
    AFTER UPDATE OF name, role, parent_id, tier, runtime, model, workspace_dir, workspace_access, budget_limit, max_concurrent_tasks, desired,
        incarnation, admitted, quarantined, team_limit, team_period, public_card, hibernation_idle_minutes ON workspaces
    FOR EACH ROW
    WHEN ((OLD.name, OLD.role, OLD.parent_id, OLD.tier, OLD.runtime, OLD.model, OLD.workspace_dir, OLD.workspace_access, OLD.budget_limit,
            OLD.max_concurrent_tasks, OLD.desired, OLD.incarnation, OLD.admitted, OLD.quarantined, OLD.team_limit, OLD.team_period,
            OLD.public_card, OLD.hibernation_idle_minutes)
        IS DISTINCT FROM (NEW.name, NEW.role, NEW.parent_id, NEW.tier, NEW.runtime, NEW.model, NEW.workspace_dir, NEW.workspace_access,
            NEW.budget_limit, NEW.max_concurrent_tasks, NEW.desired, NEW.incarnation, NEW.admitted, NEW.quarantined, NEW.team_limit,
            NEW.team_period, NEW.public_card, NEW.hibernation_idle_minutes))
    EXECUTE FUNCTION log.audit_change('workspace', 'id', 'id',
        'name role parent_id tier runtime model workspace_dir workspace_access budget_limit max_concurrent_tasks desired incarnation admitted quarantined team_limit team_period public_card hibernation_idle_minutes',
        'desired=removed:removed', 'quarantined=true:quarantined', 'quarantined=false:released', 'admitted=true:admitted',
        'desired=paused:paused', 'desired=sleeping:put_to_sleep', 'desired=running:resumed', 'parent_id:moved', 'incarnation:restarted',
        'budget_limit:limited', 'team_limit:limited', 'team_period:limited');
