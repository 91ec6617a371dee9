-- The passport that was shown with what a row tells, and on whose behalf; null where there was none.
ALTER TABLE activity ADD COLUMN passport_id uuid, ADD COLUMN on_behalf_of text;

-- As V042 has it, which stays for whoever knows of no passport.
CREATE FUNCTION append_activity(
    ids uuid[], workspaces uuid[], types text[], sources uuid[], targets uuid[], methods text[], summaries text[], requests text[],
    responses text[], traces text[], durations integer[], statuses text[], errors text[], keys text[], works uuid[], times timestamptz[],
    passports uuid[], principals text[]
) RETURNS SETOF uuid
    LANGUAGE plpgsql SECURITY DEFINER SET plan_cache_mode = force_generic_plan
    AS $$
#variable_conflict use_column
DECLARE
    limits log.activity_limits;
    today date := (now() AT TIME ZONE 'UTC')::date;
    used_up uuid[];
    stored uuid[];
    all_new boolean;
    unit bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(73110, key)
    FROM (SELECT DISTINCT hashtext(w::text) AS key FROM unnest(workspaces) AS w ORDER BY key) AS locks;
    SELECT * INTO limits FROM log.activity_limits;
    SELECT coalesce(array_agg(workspace_id), '{}') INTO used_up FROM log.activity_bytes
    WHERE workspace_id = ANY (workspaces) AND day = today AND bytes >= limits.bytes_per_day;
    IF used_up <> '{}' AND EXISTS (SELECT 1 FROM unnest(workspaces, types, keys) AS message (workspace_id, type, key)
            WHERE type = 'a2a_receive' AND key IS NOT NULL AND workspace_id = ANY (used_up)) THEN
        RAISE EXCEPTION 'activity of the day takes up all that it may' USING ERRCODE = 'MO507';
    END IF;
    WITH inserted AS (
        INSERT INTO log.activity (id, day, workspace_id, activity_type, source_id, target_id, method, summary, duration_ms, status,
            error_detail, idempotency_key, work_id, created_at, passport_id, on_behalf_of)
        SELECT id, least(greatest((created_at AT TIME ZONE 'UTC')::date, limits.first_day), limits.last_day), workspace_id, type, source_id,
            target_id, method, summary, duration_ms, status, error_detail, key, work_id, created_at, passport_id, on_behalf_of
        FROM unnest(ids, workspaces, types, sources, targets, methods, summaries, durations, statuses, errors, keys, works, times, passports,
                principals)
            AS given (id, workspace_id, type, source_id, target_id, method, summary, duration_ms, status, error_detail, key, work_id,
                created_at, passport_id, on_behalf_of)
        WHERE key IS NULL OR NOT EXISTS (SELECT 1 FROM log.activity AS earlier
            WHERE earlier.workspace_id = given.workspace_id AND earlier.idempotency_key = given.key)
        ON CONFLICT DO NOTHING
        RETURNING id
    )
    SELECT array_agg(id) INTO stored FROM inserted;
    all_new := cardinality(stored) = cardinality(ids);
    unit := greatest(limits.bytes_per_day >> 12, 1);
    IF all_new THEN
        INSERT INTO log.activity_bodies (id, day, request_body, response_body, tool_trace)
        SELECT id, least(greatest((created_at AT TIME ZONE 'UTC')::date, limits.first_day), limits.last_day), request::jsonb, response::jsonb,
            trace::jsonb
        FROM unnest(ids, workspaces, requests, responses, traces, times) AS given (id, workspace_id, request, response, trace, created_at)
        WHERE coalesce(request, response, trace) IS NOT NULL AND workspace_id <> ALL (used_up);
    ELSE
        INSERT INTO log.activity_bodies (id, day, request_body, response_body, tool_trace)
        SELECT id, least(greatest((created_at AT TIME ZONE 'UTC')::date, limits.first_day), limits.last_day), request::jsonb, response::jsonb,
            trace::jsonb
        FROM unnest(ids, workspaces, requests, responses, traces, times) AS given (id, workspace_id, request, response, trace, created_at)
        WHERE coalesce(request, response, trace) IS NOT NULL AND id = ANY (stored) AND workspace_id <> ALL (used_up)
        ON CONFLICT DO NOTHING;
    END IF;
    INSERT INTO log.activity_bytes AS used (workspace_id, day, bytes)
    SELECT workspace_id, today, sum(units) * unit
    FROM (SELECT id, workspace_id,
            (512 + coalesce(octet_length(concat(request, response, trace)), 0) + floor(random() * unit)::bigint) / unit AS units
        FROM unnest(ids, workspaces, requests, responses, traces) AS given (id, workspace_id, request, response, trace)) AS weighed
    WHERE units > 0 AND (all_new OR id = ANY (stored))
    GROUP BY workspace_id
    ORDER BY workspace_id
    ON CONFLICT (workspace_id, day) DO UPDATE SET bytes = used.bytes + excluded.bytes;
    RETURN QUERY SELECT unnest(stored);
EXCEPTION
    WHEN data_exception THEN
        IF NOT EXISTS (SELECT 1 FROM unnest(requests || responses || traces) AS body WHERE NOT pg_input_is_valid(body, 'jsonb')) THEN
            RAISE;
        END IF;
        RETURN QUERY SELECT log.append_activity(ids, workspaces, types, sources, targets, methods, summaries, log.only_json(requests),
            log.only_json(responses), log.only_json(traces), durations, statuses, errors, keys, works, times, passports,
            principals);
END
$$;
