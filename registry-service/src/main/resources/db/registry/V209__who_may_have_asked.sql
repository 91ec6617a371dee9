-- People who asked an agent for something within the last hours: a passport was issued to that agent on their behalf. The registry's loop deletes
-- older rows.
CREATE TABLE recent_askers (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    login        text NOT NULL,
    asked_at     timestamptz NOT NULL,
    PRIMARY KEY (workspace_id, login)
);
CREATE INDEX recent_askers_age ON recent_askers (asked_at);

ALTER TABLE approvals ADD COLUMN askers text[] NOT NULL DEFAULT '{}';
COMMENT ON COLUMN approvals.askers IS 'logins of people who may have asked, where neither a passport nor the credential says who did; none without a rule';

-- The transaction names who acts (log.append_audit). A token that the platform issues for a start names nobody.
ALTER TABLE workspace_tokens ADD COLUMN minted_by text DEFAULT
    CASE WHEN nullif(current_setting('molecule.actor', true), '')::jsonb ->> 'kind' = 'person'
        THEN nullif(current_setting('molecule.actor', true), '')::jsonb ->> 'name' END;
COMMENT ON COLUMN workspace_tokens.minted_by IS 'the login of the person who minted it';
