-- Only delegations of no run are forgotten by their age; those of a run belong to none once that is forgotten. So nothing old is passed by.
UPDATE delegations SET work_id = NULL
WHERE work_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM works WHERE works.id = delegations.work_id);
CREATE INDEX delegations_old ON delegations (created_at) WHERE work_id IS NULL AND due_at IS NULL;

-- What was spent in months and days long past is forgotten with the calls it was spent for.
CREATE INDEX model_budgets_old ON model_budgets (period);
CREATE INDEX model_team_budgets_old ON model_team_budgets (period) WHERE kind IN ('month', 'day', 'organization');

-- Last: whoever reads or writes delegations waits from here on.
DROP INDEX delegations_age;
