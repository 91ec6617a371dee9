-- The org chart as the event log told it up to a position; what followed is in the log.
CREATE TABLE org_snapshots (
    seq      bigint PRIMARY KEY,
    taken_at timestamptz NOT NULL,
    chart    jsonb NOT NULL
);

COMMENT ON COLUMN org_snapshots.chart IS 'id of each workspace that existed -> {name, role, parent_id, status}';
