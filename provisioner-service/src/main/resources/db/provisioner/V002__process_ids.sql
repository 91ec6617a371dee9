-- A container or a pod has a name where a process has a number.
ALTER TABLE instances RENAME COLUMN pid TO process_id;
ALTER TABLE instances ALTER COLUMN process_id TYPE text;
