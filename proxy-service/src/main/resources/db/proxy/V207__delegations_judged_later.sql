-- Accepted while nobody could tell what rules of the policy say of the tool: they are asked before anything is sent.
ALTER TABLE delegations ADD COLUMN unjudged boolean NOT NULL DEFAULT false;
