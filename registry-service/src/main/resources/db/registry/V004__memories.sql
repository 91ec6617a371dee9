-- What agents remember. TEAM and GLOBAL rows are read by others than their author.
CREATE TABLE memories (
    id           uuid PRIMARY KEY,
    position     bigint GENERATED ALWAYS AS IDENTITY,
    workspace_id uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    scope        text NOT NULL CHECK (scope IN ('LOCAL', 'TEAM', 'GLOBAL')),
    namespace    varchar(50) NOT NULL,
    content      text NOT NULL,
    words        tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english', content)) STORED,
    created_at   timestamptz NOT NULL
);

COMMENT ON COLUMN memories.position IS 'tells apart what was written at one instant';

CREATE INDEX memories_of_workspace ON memories (workspace_id, created_at DESC, position DESC);
CREATE INDEX memories_global ON memories (created_at DESC, position DESC) WHERE scope = 'GLOBAL';
CREATE INDEX memories_words ON memories USING gin (words);

-- GLOBAL writes whose activity row has yet to be delivered; written with the memory, so that none goes unnoticed.
CREATE TABLE memory_audits (
    id             uuid PRIMARY KEY,
    workspace_id   uuid NOT NULL REFERENCES workspaces (id) ON DELETE CASCADE,
    memory_id      uuid NOT NULL,
    namespace      text NOT NULL,
    content_sha256 text NOT NULL,
    written_at     timestamptz NOT NULL
);

CREATE INDEX memory_audits_by_time ON memory_audits (written_at);
CREATE INDEX memory_audits_of_workspace ON memory_audits (workspace_id);
