-- By which session or token of a person, or token of the organization, a receiver was asked for: SHA-256 in Base64. It ends with that. Null for those
-- that agents and the ADMIN_TOKEN asked for, and for rows of before.
ALTER TABLE push_configs ADD COLUMN ends_with text;

-- Webhooks that take nothing, because who set their secret may not act for their agent, as the inbox was told. A row goes when its webhook takes
-- something again, has another agent, or is deleted.
CREATE TABLE paused_webhooks (
    type         text NOT NULL,
    workspace_id uuid NOT NULL,
    PRIMARY KEY (type, workspace_id)
);
