-- Open delegations to a workspace: whose clocks stand while it waits for a person is looked up every other second (PgWaitStore.CLOCKS).
CREATE INDEX delegations_running ON delegations (target_id, created_at) WHERE status NOT IN ('completed', 'failed');
