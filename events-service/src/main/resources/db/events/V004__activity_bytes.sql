-- What the activity of a workspace takes up, by day: a workspace that fills its day leaves room for the others.
CREATE TABLE activity_bytes (
    workspace_id uuid NOT NULL,
    day          date NOT NULL,
    bytes        bigint NOT NULL,
    PRIMARY KEY (workspace_id, day)
) WITH (fillfactor = 50);
