-- Whose program has a login of its own, such as a person's subscription, as its card says: what its models cost nobody meters.
ALTER TABLE workspaces ADD COLUMN own_login boolean NOT NULL GENERATED ALWAYS AS
    (coalesce(agent_card -> 'capabilities' -> 'extensions' @> '[{"uri": "urn:molecule:a2a:own-login"}]', false)) STORED;
