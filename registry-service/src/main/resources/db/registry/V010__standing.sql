-- Who was let in, and who was taken out of everything by a person. Rows that exist were made by somebody with the right.
ALTER TABLE workspaces
    ADD COLUMN admitted    boolean NOT NULL DEFAULT true,
    ADD COLUMN quarantined boolean NOT NULL DEFAULT false;

COMMENT ON COLUMN workspaces.admitted IS 'false for one that a stranger registered, until a person admits it';
COMMENT ON COLUMN workspaces.quarantined IS 'cut off by a person: paused, without tokens, without a first registration';
