-- What each workspace keeps, counted by the statements that change it; a writer holds its row to the end, so no two of them pass
-- a limit together.
CREATE TABLE storage_usage (
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    kind         text NOT NULL CHECK (kind IN ('memories', 'key_values')),
    row_count    bigint NOT NULL,
    byte_count   bigint NOT NULL,
    PRIMARY KEY (workspace_id, kind)
);

INSERT INTO storage_usage (workspace_id, kind, row_count, byte_count)
SELECT workspace_id, 'memories', count(*), sum(octet_length(content)) FROM memories GROUP BY workspace_id;

INSERT INTO storage_usage (workspace_id, kind, row_count, byte_count)
SELECT workspace_id, 'key_values', count(*), sum(octet_length(key) + octet_length(value)) FROM key_values GROUP BY workspace_id;

CREATE FUNCTION registry.add_usage(of_kind text, of_workspace uuid, more_rows bigint, more_bytes bigint) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO registry.storage_usage AS used (workspace_id, kind, row_count, byte_count)
    VALUES (of_workspace, of_kind, more_rows, more_bytes)
    ON CONFLICT (workspace_id, kind) DO UPDATE
    SET row_count = used.row_count + excluded.row_count, byte_count = used.byte_count + excluded.byte_count
$$;

-- A workspace that is deleted with what it kept has no row any more, and gets none.
CREATE FUNCTION registry.take_usage(of_kind text, of_workspace uuid, fewer_rows bigint, fewer_bytes bigint) RETURNS void
LANGUAGE sql AS $$
    UPDATE registry.storage_usage SET row_count = row_count - fewer_rows, byte_count = byte_count - fewer_bytes
    WHERE workspace_id = of_workspace AND kind = of_kind
$$;

CREATE FUNCTION registry.count_memories() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM registry.add_usage('memories', workspace_id, changed.rows, changed.bytes)
        FROM (SELECT workspace_id, count(*) AS rows, sum(octet_length(content)) AS bytes
              FROM fresh GROUP BY workspace_id ORDER BY workspace_id) AS changed;
    ELSE
        PERFORM registry.take_usage('memories', workspace_id, changed.rows, changed.bytes)
        FROM (SELECT workspace_id, count(*) AS rows, sum(octet_length(content)) AS bytes
              FROM gone GROUP BY workspace_id ORDER BY workspace_id) AS changed;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_fresh AFTER INSERT ON memories REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION registry.count_memories();
CREATE TRIGGER count_gone AFTER DELETE ON memories REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION registry.count_memories();

CREATE FUNCTION registry.count_key_values() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        PERFORM registry.add_usage('key_values', workspace_id, changed.rows, changed.bytes)
        FROM (SELECT workspace_id, count(*) AS rows, sum(octet_length(key) + octet_length(value)) AS bytes
              FROM fresh GROUP BY workspace_id ORDER BY workspace_id) AS changed;
    ELSIF TG_OP = 'UPDATE' THEN
        PERFORM registry.add_usage('key_values', workspace_id, 0, changed.bytes)
        FROM (SELECT workspace_id, sum(size) AS bytes
              FROM (SELECT workspace_id, octet_length(value) AS size FROM fresh
                    UNION ALL SELECT workspace_id, -octet_length(value) FROM gone) AS sizes
              GROUP BY workspace_id ORDER BY workspace_id) AS changed;
    ELSE
        PERFORM registry.take_usage('key_values', workspace_id, changed.rows, changed.bytes)
        FROM (SELECT workspace_id, count(*) AS rows, sum(octet_length(key) + octet_length(value)) AS bytes
              FROM gone GROUP BY workspace_id ORDER BY workspace_id) AS changed;
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_fresh AFTER INSERT ON key_values REFERENCING NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION registry.count_key_values();
CREATE TRIGGER count_changed AFTER UPDATE ON key_values REFERENCING OLD TABLE AS gone NEW TABLE AS fresh
    FOR EACH STATEMENT EXECUTE FUNCTION registry.count_key_values();
CREATE TRIGGER count_gone AFTER DELETE ON key_values REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION registry.count_key_values();
