-- What a workspace said to others is kept once, with who was told. This finds it by who said it.
CREATE INDEX activity_sent ON activity (source_id, created_at DESC) WHERE source_id <> workspace_id AND activity_type = 'a2a_receive';
