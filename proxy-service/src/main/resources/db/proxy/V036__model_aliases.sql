-- Names that a workspace and all below it may call models by; those of a root are its organisation's.
CREATE TABLE model_aliases (
    workspace_id uuid NOT NULL,
    name text NOT NULL,
    models text[] NOT NULL,
    PRIMARY KEY (workspace_id, name)
);
