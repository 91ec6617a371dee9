-- How much of its month's budget a workspace had spent when that was last told: 80 or 100 percent, 0 for less.
CREATE TABLE budget_levels (
    workspace_id uuid PRIMARY KEY REFERENCES workspaces (id) ON DELETE CASCADE,
    percent      smallint NOT NULL CHECK (percent IN (0, 80, 100))
);

CREATE INDEX budget_levels_told ON budget_levels (workspace_id) WHERE percent > 0;
CREATE INDEX workspaces_with_budget ON workspaces (id) WHERE budget_limit IS NOT NULL;
