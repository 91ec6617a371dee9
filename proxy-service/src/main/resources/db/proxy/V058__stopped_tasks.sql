-- A task that was canceled did not fail: it was stopped. Of a piece of work whose first message was, works.status says "failed" as before, so that
-- a proxy of the release before reads it; that it was stopped is read off the task. Rows that are there are not looked at again.
ALTER TABLE tasks DROP CONSTRAINT tasks_status_check;
ALTER TABLE tasks ADD CONSTRAINT tasks_status_check
    CHECK (status IN ('running', 'waiting', 'ok', 'error', 'stopped', 'unknown')) NOT VALID;
