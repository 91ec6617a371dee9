-- Whose task a message became is asked of tasks that have ended, too (PgKnownTasks.OF_ANOTHER).
CREATE INDEX tasks_of_message ON tasks (workspace_id, message_id) WHERE message_id IS NOT NULL;
