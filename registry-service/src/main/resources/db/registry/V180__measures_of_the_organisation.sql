-- Whose a measure is: what the organisation imposed, nobody who has a role for a branch or a tenant only undoes. Of quarantines and limits
-- that are there already nobody knows any more who imposed them, so they are the organisation's; of pauses, which are daily work, a branch's.
ALTER TABLE workspaces
    ADD COLUMN quarantined_by_organisation  boolean NOT NULL DEFAULT false,
    ADD COLUMN paused_by_organisation       boolean NOT NULL DEFAULT false,
    ADD COLUMN team_limit_by_organisation   boolean NOT NULL DEFAULT false,
    ADD COLUMN budget_limit_by_organisation boolean NOT NULL DEFAULT false;

UPDATE workspaces
SET quarantined_by_organisation = quarantined, team_limit_by_organisation = team_limit IS NOT NULL,
    budget_limit_by_organisation = budget_limit IS NOT NULL
WHERE quarantined OR team_limit IS NOT NULL OR budget_limit IS NOT NULL;

-- A rule of a branch; those for everybody are the organisation's anyway.
ALTER TABLE policy_rules ADD COLUMN by_organisation boolean NOT NULL DEFAULT true;
