-- For GET /usage by delegation.
CREATE INDEX model_calls_delegation ON model_calls (delegation_id, started_at) WHERE delegation_id IS NOT NULL;
