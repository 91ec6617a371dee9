-- Whoever appends needs no right to the tables: what the log keeps of others it cannot read.
ALTER FUNCTION append(text, uuid, jsonb) SECURITY DEFINER;
ALTER FUNCTION append_activity(uuid[], uuid[], text[], uuid[], uuid[], text[], text[], text[], text[], text[], integer[], text[], text[],
    text[], uuid[], timestamptz[]) SECURITY DEFINER;
ALTER FUNCTION upsert_activity(uuid[], uuid[], text[], uuid[], uuid[], text[], text[], text[], text[], text[], integer[], text[], text[],
    text[], uuid[], timestamptz[]) SECURITY DEFINER;
