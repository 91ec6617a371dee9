-- The proxy reads which tasks wait for a person; most approvals name none.
CREATE INDEX approvals_of_tasks ON approvals (id) WHERE status = 'pending' AND task_id <> '';
