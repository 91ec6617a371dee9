-- Activity: what agents did and said. A row is appended in the transaction of what happened, by log.append_activity. seq is the order of
-- insertion: per workspace it is also the order of commit, because who appends holds the workspace's advisory lock until its
-- transaction ends, so a reader that goes on after a seq misses nothing. One partition a day: forgetting a day is dropping tables. A row's
-- day is that of its created_at (UTC), kept within the days there are, so that a repeat of a row meets the row in the same partition.
CREATE SEQUENCE activity_seq AS bigint;

CREATE TABLE activity (
    id              uuid NOT NULL,
    day             date NOT NULL,
    seq             bigint NOT NULL DEFAULT nextval('log.activity_seq'),
    workspace_id    uuid NOT NULL,
    activity_type   text NOT NULL,
    source_id       uuid,
    target_id       uuid,
    method          text,
    summary         text,
    duration_ms     integer,
    status          text NOT NULL DEFAULT 'ok',
    error_detail    text,
    idempotency_key text,
    work_id         uuid,
    created_at      timestamptz NOT NULL,
    PRIMARY KEY (id, day)
) PARTITION BY LIST (day);

CREATE INDEX activity_inserted ON activity (workspace_id, seq);
CREATE INDEX activity_newest ON activity (workspace_id, created_at DESC, seq DESC);
CREATE UNIQUE INDEX activity_idempotency ON activity (workspace_id, idempotency_key, day) WHERE idempotency_key IS NOT NULL;

COMMENT ON COLUMN activity.work_id IS 'the work that the row is part of; null while nobody says';

-- Apart from the rows, which are listed and updated without them.
CREATE TABLE activity_bodies (
    id            uuid NOT NULL,
    day           date NOT NULL,
    request_body  jsonb,
    response_body jsonb,
    tool_trace    jsonb,
    PRIMARY KEY (id, day)
) PARTITION BY LIST (day);

-- What a workspace takes up, by day: one that fills its day leaves room for the others.
CREATE TABLE activity_bytes (
    workspace_id uuid NOT NULL,
    day          date NOT NULL,
    bytes        bigint NOT NULL,
    PRIMARY KEY (workspace_id, day)
) WITH (fillfactor = 50);

-- What events-service was told to keep; whoever appends keeps to it.
CREATE TABLE activity_limits (
    one           boolean PRIMARY KEY DEFAULT true CHECK (one),
    first_day     date NOT NULL,
    last_day      date NOT NULL,
    bytes_per_day bigint NOT NULL
);
INSERT INTO activity_limits (first_day, last_day, bytes_per_day)
SELECT today - 7, today + 1, 256 << 20 FROM (SELECT (now() AT TIME ZONE 'UTC')::date) AS clock (today);

-- Attached rather than created in place, because that lets readers and writers of the other days go on.
CREATE FUNCTION add_activity_day(wanted date) RETURNS void
    LANGUAGE plpgsql
    AS $$
DECLARE
    parent text;
    partition text;
BEGIN
    PERFORM pg_advisory_xact_lock(73111);
    FOREACH parent IN ARRAY ARRAY['activity', 'activity_bodies'] LOOP
        partition := parent || '_' || to_char(wanted, 'YYYYMMDD');
        IF to_regclass('log.' || partition) IS NULL THEN
            EXECUTE format('CREATE TABLE log.%I (LIKE log.%I INCLUDING DEFAULTS INCLUDING CONSTRAINTS)', partition, parent);
            EXECUTE format('ALTER TABLE log.%I ATTACH PARTITION log.%I FOR VALUES IN (%L)', parent, partition, wanted);
        END IF;
    END LOOP;
END
$$;

-- Makes room for the days from first to last and one more, and has rows of any other time kept with the nearest of them.
CREATE FUNCTION keep_activity(first date, last date, bytes bigint) RETURNS void
    LANGUAGE plpgsql
    AS $$
BEGIN
    PERFORM log.add_activity_day(day::date) FROM generate_series(first, last + 1, interval '1 day') AS day;
    UPDATE log.activity_limits SET first_day = first, last_day = last, bytes_per_day = bytes
    WHERE (first_day, last_day, bytes_per_day) IS DISTINCT FROM (first, last, bytes);
END
$$;

SELECT keep_activity(first_day, last_day, bytes_per_day) FROM activity_limits;

-- Inserts, in their order, the rows whose id and idempotency key are new, and returns their ids. Each workspace's advisory lock is taken, in
-- one order, in a statement of its own before the rows are looked for: so a key of an earlier day is seen, whoever stored it. A
-- row beyond what its workspace may take up of the day is kept without bodies; a message that its agent would fetch (a2a_receive with a
-- key) fails with MO507 instead, as nobody would read it. A body that is no JSON that PostgreSQL holds costs its row that body.
CREATE FUNCTION append_activity(
    ids uuid[], workspaces uuid[], types text[], sources uuid[], targets uuid[], methods text[], summaries text[], requests text[],
    responses text[], traces text[], durations integer[], statuses text[], errors text[], keys text[], works uuid[], times timestamptz[]
) RETURNS SETOF uuid
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
    limits log.activity_limits;
BEGIN
    PERFORM pg_advisory_xact_lock(73110, key)
    FROM (SELECT DISTINCT hashtext(w::text) AS key FROM unnest(workspaces) AS w ORDER BY key) AS locks;
    SELECT * INTO limits FROM log.activity_limits;
    IF EXISTS (
        SELECT 1 FROM unnest(workspaces, types, keys) AS message (workspace_id, type, key) JOIN log.activity_bytes AS used USING (workspace_id)
        WHERE message.type = 'a2a_receive' AND message.key IS NOT NULL AND used.bytes >= limits.bytes_per_day
          AND used.day = (now() AT TIME ZONE 'UTC')::date
    ) THEN
        RAISE EXCEPTION 'activity of the day takes up all that it may' USING ERRCODE = 'MO507';
    END IF;
    RETURN QUERY
        WITH fresh AS (
            SELECT given.*, least(greatest((given.created_at AT TIME ZONE 'UTC')::date, limits.first_day), limits.last_day) AS day,
                octet_length(concat(request, response, trace)) AS body_bytes
            FROM unnest(ids, workspaces, types, sources, targets, methods, summaries, requests, responses, traces, durations, statuses, errors,
                keys, works, times) WITH ORDINALITY AS given (id, workspace_id, type, source_id, target_id, method, summary, request, response,
                trace, duration_ms, status, error_detail, key, work_id, created_at, nth)
            WHERE given.key IS NULL OR NOT EXISTS (SELECT 1 FROM log.activity AS earlier
                WHERE earlier.workspace_id = given.workspace_id AND earlier.idempotency_key = given.key)
        ), weighed AS (
            SELECT fresh.*, coalesce(used.bytes, 0) + sum(body_bytes) OVER (PARTITION BY workspace_id, day ORDER BY nth)
                <= limits.bytes_per_day AS fits
            FROM fresh LEFT JOIN log.activity_bytes AS used USING (workspace_id, day)
        ), stored AS (
            INSERT INTO log.activity (id, day, workspace_id, activity_type, source_id, target_id, method, summary, duration_ms, status,
                error_detail, idempotency_key, work_id, created_at)
            SELECT id, day, workspace_id, type, source_id, target_id, method, summary, duration_ms, status, error_detail, key, work_id, created_at
            FROM weighed
            ORDER BY nth
            ON CONFLICT DO NOTHING
            RETURNING id, day
        ), told AS (
            SELECT DISTINCT ON (id, day) weighed.* FROM stored JOIN weighed USING (id, day) ORDER BY id, day, nth
        ), bodied AS (
            INSERT INTO log.activity_bodies (id, day, request_body, response_body, tool_trace)
            SELECT id, day, request::jsonb, response::jsonb, trace::jsonb FROM told WHERE fits AND body_bytes > 0
            ON CONFLICT DO NOTHING
        ), counted AS (
            INSERT INTO log.activity_bytes AS used (workspace_id, day, bytes)
            SELECT workspace_id, day, sum(512 + CASE WHEN fits THEN body_bytes ELSE 0 END) FROM told
            GROUP BY workspace_id, day
            ORDER BY workspace_id, day
            ON CONFLICT (workspace_id, day) DO UPDATE SET bytes = used.bytes + excluded.bytes
        )
        SELECT id FROM stored;
EXCEPTION
    WHEN data_exception THEN
        IF NOT EXISTS (SELECT 1 FROM unnest(requests || responses || traces) AS body WHERE NOT pg_input_is_valid(body, 'jsonb')) THEN
            RAISE;
        END IF;
        RETURN QUERY SELECT log.append_activity(ids, workspaces, types, sources, targets, methods, summaries, log.only_json(requests),
            log.only_json(responses), log.only_json(traces), durations, statuses, errors, keys, works, times);
END
$$;

CREATE FUNCTION only_json(bodies text[]) RETURNS text[]
    LANGUAGE sql
    AS $$
    SELECT array_agg(CASE WHEN pg_input_is_valid(body, 'jsonb') THEN body END ORDER BY nth)
    FROM unnest(bodies) WITH ORDINALITY AS given (body, nth)
    $$;

-- Gives the rows that are there the new contents where their status is an earlier one, and returns how many. Safe under races because a row
-- that a concurrent statement changed is judged anew by its new status, and a status only grows: pending, dispatched, queued, any other.
CREATE FUNCTION advance_activity(
    ids uuid[], workspaces uuid[], targets uuid[], summaries text[], requests text[], responses text[], statuses text[], errors text[]
) RETURNS integer
    LANGUAGE plpgsql
    AS $$
#variable_conflict use_column
DECLARE
    today date := (now() AT TIME ZONE 'UTC')::date;
    changed integer;
BEGIN
    WITH given AS (
        SELECT given.*, coalesce(used.bytes, 0) < limits.bytes_per_day AS fits
        FROM unnest(ids, workspaces, targets, summaries, log.only_json(requests), log.only_json(responses), statuses, errors)
                AS given (id, workspace_id, target_id, summary, request, response, status, error_detail)
            CROSS JOIN log.activity_limits AS limits
            LEFT JOIN log.activity_bytes AS used ON used.workspace_id = given.workspace_id AND used.day = today
    ), moved AS (
        UPDATE log.activity AS row
        SET target_id = given.target_id, summary = given.summary, status = given.status, error_detail = given.error_detail
        FROM given
        WHERE row.id = given.id AND row.workspace_id = given.workspace_id
          AND coalesce(array_position(ARRAY['pending', 'dispatched', 'queued'], row.status), 4)
            < coalesce(array_position(ARRAY['pending', 'dispatched', 'queued'], given.status), 4)
        RETURNING row.id, row.day, row.workspace_id, given.request, CASE WHEN given.fits THEN given.response END AS response
    ), bodied AS (
        INSERT INTO log.activity_bodies AS body (id, day, request_body, response_body)
        SELECT id, day, request::jsonb, response::jsonb FROM moved ORDER BY id, day
        ON CONFLICT (id, day) DO UPDATE SET request_body = excluded.request_body, response_body = excluded.response_body
    ), counted AS (
        INSERT INTO log.activity_bytes AS used (workspace_id, day, bytes)
        SELECT workspace_id, today, sum(coalesce(octet_length(response), 0)) FROM moved GROUP BY workspace_id ORDER BY workspace_id
        ON CONFLICT (workspace_id, day) DO UPDATE SET bytes = used.bytes + excluded.bytes
    )
    SELECT count(*) INTO changed FROM moved;
    RETURN changed;
END
$$;
