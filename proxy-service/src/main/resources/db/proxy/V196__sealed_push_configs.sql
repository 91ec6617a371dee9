-- What a receiver believes us by, token and credentials as one JSON object, sealed by the registry. Rows of before, and of a replica of before,
-- have them in clear in token and credentials until they are sealed, soon after the start.
ALTER TABLE push_configs ADD COLUMN sealed text;
