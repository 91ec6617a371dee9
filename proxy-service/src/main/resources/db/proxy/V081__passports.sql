-- The passport of the target of a delegation that was given under one: what is left of what was allowed, as it travels along.
ALTER TABLE delegations ADD COLUMN passport text;
