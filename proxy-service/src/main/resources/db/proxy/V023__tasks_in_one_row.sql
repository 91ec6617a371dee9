-- A task and what was said in it are one row, written once where it ends soon after it began. The question of a message that began a work by
-- itself stands in the work's brief.
ALTER TABLE tasks
    ADD COLUMN words       text,                -- the question; null: none that is kept, or it is the brief of the work with this id
    ADD COLUMN answer      text,
    ADD COLUMN files       jsonb,               -- that the answer names
    ADD COLUMN answered_at timestamptz;

UPDATE tasks SET words = said.words
FROM work_words AS said WHERE said.id = tasks.id AND NOT said.answer AND tasks.work_id <> tasks.id;

UPDATE tasks SET answer = said.words, files = said.files, answered_at = said.said_at
FROM work_words AS said WHERE said.id = tasks.id AND said.answer;

DROP TABLE work_words;

-- Only those without an end, or with one that may still be learnt, are looked for by their message.
DROP INDEX tasks_message;
CREATE INDEX tasks_open ON tasks (workspace_id, message_id) WHERE ended_at IS NULL OR status = 'unknown';
CREATE INDEX tasks_named ON tasks (workspace_id, task_id) WHERE task_id IS NOT NULL;

-- One that has ended was created before: the index of creation leads to those that are old.
DROP INDEX works_ended;
