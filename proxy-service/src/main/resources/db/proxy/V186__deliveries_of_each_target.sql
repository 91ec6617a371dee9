-- GitHub gives one id to the deliveries of one event to all its webhooks, so an id says only with its target what was taken.
-- What was taken before, or by a replica of before, has no target; its digest, which holds that, still tells it.
ALTER TABLE webhook_deliveries
    ADD COLUMN workspace_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000',
    DROP CONSTRAINT webhook_deliveries_pkey,
    ADD PRIMARY KEY (type, workspace_id, delivery_id);
