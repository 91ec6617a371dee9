-- Where there are tenants, GLOBAL memories are read author by author: those of others, however many, cost nothing.
CREATE INDEX memories_global_of ON memories (workspace_id, created_at DESC, position DESC) WHERE scope = 'GLOBAL';
