-- Where a sender signs the time too, what was taken is told by the time and the body: honest senders say the same again, such as "disk full".
-- The body alone tells whether the same id came again; null of what was taken before, or by a replica of before, whose digest is of the body.
ALTER TABLE webhook_deliveries ADD COLUMN body_digest bytea;
