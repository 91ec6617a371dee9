-- Whose tree the caller was of, when it called; null of none, and of calls from before.
ALTER TABLE model_calls ADD COLUMN tenant text;
