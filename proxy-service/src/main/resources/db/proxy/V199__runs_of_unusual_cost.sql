-- Whether it was told that this run costs more than others of its kind.
ALTER TABLE works ADD COLUMN cost_told boolean NOT NULL DEFAULT false;

-- Runs that may yet have to be told of, and the earlier ones of an agent, the newest first.
CREATE INDEX works_cost_untold ON works (id) WHERE ended_at IS NULL AND NOT cost_told;
CREATE INDEX works_of_agent_ended ON works (workspace_id, ended_at DESC) WHERE ended_at IS NOT NULL;

-- Which schedule a run was begun by, after its end too.
CREATE INDEX schedule_runs_of_task ON schedule_runs (queue_id) WHERE queue_id IS NOT NULL;
