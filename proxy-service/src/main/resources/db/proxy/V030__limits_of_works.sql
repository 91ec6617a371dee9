-- Works and delegations are accounts like teams: what was spent for one counts there, from the first call on. Their limits stand with them.
ALTER TABLE model_team_budgets DROP CONSTRAINT model_team_budgets_kind_check;
ALTER TABLE model_team_budgets ADD CONSTRAINT model_team_budgets_kind_check
    CHECK (kind IN ('month', 'day', 'all', 'work', 'delegation'));

-- What was last asked for and was more than was left: from then on a limit counts as used up, though a little may be left.
ALTER TABLE model_team_budgets ADD COLUMN refused bigint;

-- How much of its limit was last told to be spent: 80 or 100 percent, 0 for less.
ALTER TABLE works ADD COLUMN limit_told smallint NOT NULL DEFAULT 0;
ALTER TABLE delegations
    ADD COLUMN limit_usd  numeric,
    ADD COLUMN limit_told smallint NOT NULL DEFAULT 0;
CREATE INDEX works_limited ON works (id) WHERE (limit_usd IS NOT NULL AND ended_at IS NULL) OR limit_told > 0;
CREATE INDEX delegations_limited ON delegations (id) WHERE (limit_usd IS NOT NULL AND status NOT IN ('completed', 'failed')) OR limit_told > 0;

-- One promise against all budgets that bound a call: as much as the tightest has left, or nothing when that is too little. Rows are
-- locked in one order, the workspace's own before others and these by id, which whoever books keeps as well: nobody waits in a circle.
-- used_micros null: all that is promised, because nobody sees what is written until it is there. A bound that has too
-- little left remembers it.
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
