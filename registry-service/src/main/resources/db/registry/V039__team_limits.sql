-- What a workspace and all below it may spend on models together, in US cents, and in which time.
ALTER TABLE workspaces
    ADD COLUMN team_limit bigint CHECK (team_limit >= 0),
    ADD COLUMN team_period text NOT NULL DEFAULT 'month' CHECK (team_period IN ('month', 'day', 'all'));
