-- Who gets a workspace's first token. One made by hand before this cannot be told from one that was given to whoever asked first:
-- on workspaces that the platform starts, all of them end with the next start.
ALTER TABLE workspace_tokens ADD COLUMN bootstrapped boolean NOT NULL DEFAULT false;
UPDATE workspace_tokens SET bootstrapped = true
WHERE incarnation IS NULL AND workspace_id IN (SELECT id FROM workspaces WHERE managed);

COMMENT ON COLUMN workspace_tokens.bootstrapped IS 'given to a registration without a bearer; of no value once the platform started the agent itself';

-- Workspaces that a person asked for and whose agent has yet to come. The id is the secret that brings the first token, so only its
-- hash is kept: it stands in no list and no event before it is claimed.
CREATE TABLE invitations (
    id                uuid PRIMARY KEY,
    workspace_id_hash bytea NOT NULL UNIQUE,
    prefix            text NOT NULL,
    name              text NOT NULL,
    role              text,
    parent_id         uuid REFERENCES workspaces (id) ON DELETE CASCADE,
    tier              integer NOT NULL,
    created_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL
);

CREATE INDEX invitations_expiring ON invitations (expires_at);
CREATE INDEX invitations_of_parent ON invitations (parent_id);

-- Two ids that begin alike are one to whoever names things by their first twelve characters.
CREATE INDEX workspaces_by_short_id ON workspaces (left(id::text, 12));
