-- What is known of a call that was promised money, as of the last word of its proxy: so that of one that is killed what it spent stays
-- spent, its calls have rows, and only the rest of the promise comes back.
ALTER TABLE model_reservations
    ADD COLUMN used    bigint NOT NULL DEFAULT 0, -- millionths of a dollar
    ADD COLUMN written bigint NOT NULL DEFAULT 0, -- tokens of output
    ADD COLUMN about   jsonb;                     -- the rest of its row; null of a proxy that does not say it yet

-- What was booked for a call while its proxy was thought dead, which its own row replaces.
ALTER TABLE model_calls ADD COLUMN lost_micros bigint;
ALTER TABLE model_calls DROP CONSTRAINT model_calls_outcome_check;
ALTER TABLE model_calls ADD CONSTRAINT model_calls_outcome_check
    CHECK (outcome IN ('ok', 'refused', 'unreachable', 'cut', 'left', 'stopped', 'timed_out', 'lost'));

-- One promise against all budgets that bound a call: as much as the tightest has left, or nothing when that is too little. Rows are
-- locked in one order, the workspace's own before others and these by id, which whoever books keeps as well: nobody waits in a circle.
-- used_micros null: all that is promised, because nobody sees what is written until it is there.
CREATE FUNCTION promise_for_call(
    call uuid, workspace uuid, month date, least_micros bigint, wanted bigint, reported bigint, own_limit bigint, expiry_ms bigint,
    bounds jsonb, used_micros bigint, written_tokens bigint, about_call jsonb
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
    INSERT INTO model_reservations AS r (call_id, workspace_id, period, micros, expires_at, teams, used, written, about)
        VALUES (call, workspace, month, promised, now() + expiry_ms * interval '1 ms',
            (SELECT coalesce(jsonb_agg(t), '[]') FROM jsonb_array_elements(bounds) AS t WHERE t ->> 'limit' IS NOT NULL),
            coalesce(used_micros, promised), written_tokens, about_call)
        ON CONFLICT (call_id) DO UPDATE SET micros = r.micros + excluded.micros, expires_at = excluded.expires_at,
            used = CASE WHEN used_micros IS NULL THEN r.used + excluded.used ELSE greatest(r.used, excluded.used) END,
            written = greatest(r.written, excluded.written);
    RETURN promised;
END
$$;

-- As proxies of the release before ask it.
CREATE OR REPLACE FUNCTION promise_for_model(
    call uuid, workspace uuid, month date, least_micros bigint, wanted bigint, reported bigint, own_limit bigint, expiry_ms bigint, bounds jsonb
) RETURNS bigint LANGUAGE sql AS $$
    SELECT promise_for_call(call, workspace, month, least_micros, wanted, reported, own_limit, expiry_ms, bounds, 0, 0, NULL)
$$;
