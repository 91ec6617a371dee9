-- By which credential each was made or last said, in the record's words. Null of what was there before.
ALTER TABLE schedules ADD COLUMN made_by text;

-- ends_with: a person with a role for branches or tenants only, who knows the secret: what comes in is refused while that person may not act for
-- the agent. No reference: people are the registry's.
ALTER TABLE webhooks
    ADD COLUMN made_by   text,
    ADD COLUMN ends_with uuid;
