-- How much of a team's limit had been spent when that was last told: 80 or 100 percent, 0 for less.
CREATE TABLE team_levels (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    percent      smallint NOT NULL CHECK (percent IN (0, 80, 100))
);

CREATE INDEX team_levels_told ON team_levels (workspace_id) WHERE percent > 0;
CREATE INDEX workspaces_with_team_limit ON workspaces (id) WHERE team_limit IS NOT NULL;
