-- The message that answered a delegation, a SHA-256: one that is sent again answers no second one.
ALTER TABLE delegations ADD COLUMN answered_by text;
CREATE UNIQUE INDEX delegations_answered ON delegations (target_id, source_id, answered_by) WHERE answered_by IS NOT NULL;
