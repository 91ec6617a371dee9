-- What each team, an inner node of the org chart with all below it, spent in a period (UTC), and what is promised to calls under way.
CREATE TABLE model_team_budgets (
    team_id  uuid NOT NULL,
    kind     text NOT NULL CHECK (kind IN ('month', 'day', 'all')),
    period   date NOT NULL,                -- its first day; 1970-01-01 of all
    spent    bigint NOT NULL DEFAULT 0,
    reserved bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (team_id, kind, period)
);

-- Whose budgets a promise and a call count for besides the workspace's own: [{"id", "kind", "period"}].
ALTER TABLE model_reservations ADD COLUMN teams jsonb NOT NULL DEFAULT '[]';
ALTER TABLE model_calls ADD COLUMN team_ids uuid[] NOT NULL DEFAULT '{}';
