-- What each team, an inner node of the org chart with all below it, spent in a period (UTC), and what is promised to calls under way.
CREATE TABLE model_team_budgets (
    team_id  uuid NOT NULL,
    kind     text NOT NULL CHECK (kind IN ('month', 'day', 'all')),
    period   date NOT NULL,                -- its first day; 1970-01-01 of all
    spent    bigint NOT NULL DEFAULT 0,
    reserved bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (team_id, kind, period)
);

-- Whose budgets a promise and a call count for besides the workspace's own: [{"id", "kind", "period"}].
ALTER TABLE model_reservations ADD COLUMN teams jsonb NOT NULL DEFAULT '[]';
ALTER TABLE model_calls ADD COLUMN team_ids uuid[] NOT NULL DEFAULT '{}';

-- One promise against all budgets that bound a call: as much as the tightest has left, or nothing when that is too little. Rows are
-- locked in one order, the workspace's own before teams and these by id, which whoever books keeps as well: nobody waits in a circle.
CREATE FUNCTION promise_for_model(
    call uuid, workspace uuid, month date, least_micros bigint, wanted bigint, reported bigint, own_limit bigint, expiry_ms bigint, bounds jsonb
) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    promised bigint := wanted;
    remaining bigint;
    team record;
BEGIN
    INSERT INTO model_budgets (workspace_id, period) VALUES (workspace, month) ON CONFLICT DO NOTHING;
    SELECT own_limit - greatest(b.spent, reported) - b.reserved INTO remaining
        FROM model_budgets AS b WHERE b.workspace_id = workspace AND b.period = month FOR UPDATE;
    promised := least(promised, coalesce(remaining, promised));
    FOR team IN
        SELECT * FROM jsonb_to_recordset(bounds) AS t (id uuid, kind text, period date, "limit" bigint)
        WHERE t."limit" IS NOT NULL ORDER BY t.id, t.kind
    LOOP
        INSERT INTO model_team_budgets (team_id, kind, period) VALUES (team.id, team.kind, team.period) ON CONFLICT DO NOTHING;
        SELECT team."limit" - b.spent - b.reserved INTO remaining
            FROM model_team_budgets AS b
            WHERE b.team_id = team.id AND b.kind = team.kind AND b.period = team.period FOR UPDATE;
        promised := least(promised, remaining);
    END LOOP;
    IF promised < least_micros THEN
        RETURN 0;
    END IF;
    UPDATE model_budgets AS b SET reserved = b.reserved + promised, granted = promised
        WHERE b.workspace_id = workspace AND b.period = month;
    UPDATE model_team_budgets AS b SET reserved = b.reserved + promised
        FROM jsonb_to_recordset(bounds) AS t (id uuid, kind text, period date, "limit" bigint)
        WHERE t."limit" IS NOT NULL AND b.team_id = t.id AND b.kind = t.kind AND b.period = t.period;
    INSERT INTO model_reservations AS r (call_id, workspace_id, period, micros, expires_at, teams)
        VALUES (call, workspace, month, promised, now() + expiry_ms * interval '1 ms',
            (SELECT coalesce(jsonb_agg(t), '[]') FROM jsonb_array_elements(bounds) AS t WHERE t ->> 'limit' IS NOT NULL))
        ON CONFLICT (call_id) DO UPDATE SET micros = r.micros + excluded.micros, expires_at = excluded.expires_at;
    RETURN promised;
END
$$;
