-- As append_activity, and rows that are there already get the new contents where their status is an earlier one (advance_activity). In
-- one call, because it takes the advisory locks of all its workspaces first: the counts of bytes are then changed under them, whichever
-- workspaces two transactions have in common.
CREATE FUNCTION upsert_activity(
    ids uuid[], workspaces uuid[], types text[], sources uuid[], targets uuid[], methods text[], summaries text[], requests text[],
    responses text[], traces text[], durations integer[], statuses text[], errors text[], keys text[], works uuid[], times timestamptz[]
) RETURNS SETOF uuid
    LANGUAGE plpgsql
    AS $$
BEGIN
    RETURN QUERY SELECT log.append_activity(ids, workspaces, types, sources, targets, methods, summaries, requests, responses, traces,
        durations, statuses, errors, keys, works, times);
    PERFORM log.advance_activity(ids, workspaces, targets, summaries, requests, responses, statuses, errors);
END
$$;
