-- With which right a secret was set: 0 the agent itself, 1 somebody of its branch or tenant, 2 the organization, which is also said of what was
-- set before. A provider's key is not sent to an address that a lower right set.
ALTER TABLE workspace_secrets ADD COLUMN set_by smallint NOT NULL DEFAULT 2 CHECK (set_by BETWEEN 0 AND 2);
