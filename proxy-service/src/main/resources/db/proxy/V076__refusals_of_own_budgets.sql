-- What a workspace's own budget could not pay when it was last asked for: as of teams, from then on it counts as used up, though a little may
-- be left. Else nobody is told why its agent stands still, when one call costs more than the fifth of the budget that 80 percent leave.
ALTER TABLE model_budgets ADD COLUMN refused bigint;

-- One promise against all budgets that bound a call: as much as the tightest has left, or nothing when that is too little. Rows are
-- locked in one order, the workspace's own before others and these by id, which whoever books keeps as well: nobody waits in a circle.
-- used_micros null: all that is promised, because nobody sees what is written until it is there. A bound that has too
-- little left remembers it.
CREATE OR REPLACE FUNCTION promise_for_call(
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
    IF remaining < least_micros THEN
        UPDATE model_budgets AS b SET refused = least_micros
            WHERE b.workspace_id = workspace AND b.period = month AND b.refused IS DISTINCT FROM least_micros;
    END IF;
    FOR team IN
        SELECT * FROM jsonb_to_recordset(bounds) AS t (id uuid, kind text, period date, "limit" bigint)
        WHERE t."limit" IS NOT NULL ORDER BY t.id, t.kind
    LOOP
        INSERT INTO model_team_budgets (team_id, kind, period) VALUES (team.id, team.kind, team.period) ON CONFLICT DO NOTHING;
        SELECT team."limit" - b.spent - b.reserved INTO remaining
            FROM model_team_budgets AS b
            WHERE b.team_id = team.id AND b.kind = team.kind AND b.period = team.period FOR UPDATE;
        promised := least(promised, remaining);
        IF remaining < least_micros THEN
            UPDATE model_team_budgets AS b SET refused = least_micros
                WHERE b.team_id = team.id AND b.kind = team.kind AND b.period = team.period AND b.refused IS DISTINCT FROM least_micros;
        END IF;
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
