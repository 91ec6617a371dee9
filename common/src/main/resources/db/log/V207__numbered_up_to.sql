-- Up to which id every event has its number, for good. Who looks for events without one starts behind it: a look for seq IS NULL alone passes
-- over an index entry of each event that was numbered since the oldest snapshot that is still open, such as that of a backup.
--
-- An id that was given out may still be committed. But whoever takes one has its transaction before it (append, below), so that once all
-- transactions are over that began before a moment, no id that was seen at that moment is open any more. next_to is the greatest id
-- that a pass saw, next_before the first transaction after it; when those before are over, the next pass makes it numbered_to.
ALTER TABLE position
    ADD COLUMN numbered_to bigint NOT NULL DEFAULT 0,
    ADD COLUMN next_to     bigint NOT NULL DEFAULT 0,
    ADD COLUMN next_before xid8   NOT NULL DEFAULT '0';

-- As V001 has it, but the transaction has its number before the event has its id.
CREATE OR REPLACE FUNCTION append(event_type text, workspace_id uuid, payload jsonb) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    AS $$
    SELECT pg_current_xact_id();
    INSERT INTO log.events (event_type, workspace_id, payload) VALUES ($1, $2, $3) RETURNING id;
    $$;

-- The same for the audit log, which is linked by the same leader.
ALTER TABLE audit_chain
    ADD COLUMN linked_to   bigint NOT NULL DEFAULT 0,
    ADD COLUMN next_to     bigint NOT NULL DEFAULT 0,
    ADD COLUMN next_before xid8   NOT NULL DEFAULT '0';

-- As V031 has it, but the transaction has its number before the row has its id.
CREATE OR REPLACE FUNCTION append_audit(
    verb text, workspace_id uuid, object text, verdict text, reason text, detail jsonb, who jsonb DEFAULT NULL
) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    actor  jsonb := coalesce(who, nullif(current_setting('molecule.actor', true), '')::jsonb,
        jsonb_build_object('kind', 'platform', 'name', current_setting('application_name')));
    made   bigint;
BEGIN
    PERFORM pg_current_xact_id();
    INSERT INTO log.audit (at, entry)
    VALUES (moment, jsonb_strip_nulls(jsonb_build_object(
        'at', to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'actor', actor, 'verb', $1, 'workspace_id', $2,
        'object', $3, 'verdict', $4, 'reason', $5, 'detail', nullif($6, '{}')))::text)
    RETURNING id INTO made;
    RETURN made;
END
$$;

-- As V031 has it, but it looks behind what is linked for good. Each statement of it has a snapshot of its own: what was over in one is
-- seen by the next.
CREATE OR REPLACE FUNCTION link_audit(leader uuid, most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
    chain  log.audit_chain;
    -- seen before this transaction has a number, so that the number is greater than those of whoever took an id up to it
    seen   bigint := CASE WHEN pg_current_xact_id_if_assigned() IS NULL THEN (SELECT max(id) FROM log.audit) END;
    over   boolean;
    waits  record;
    last   bigint;
    linked integer := 0;
BEGIN
    SELECT * INTO chain FROM log.audit_chain;
    IF NOT EXISTS (SELECT 1 FROM log.audit WHERE seq IS NULL AND id > chain.linked_to) THEN
        RETURN 0;
    END IF;
    PERFORM 1 FROM log.sequencer_term WHERE holder = leader AND until > clock_timestamp() FOR SHARE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    SELECT * INTO chain FROM log.audit_chain FOR UPDATE;
    over := chain.next_before <= pg_snapshot_xmin(pg_current_snapshot());
    FOR waits IN SELECT id, entry FROM log.audit WHERE seq IS NULL AND id > chain.linked_to ORDER BY id LIMIT most LOOP
        chain.seq := chain.seq + 1;
        chain.hash := log.audit_hash(chain.hash, chain.seq, waits.entry);
        UPDATE log.audit SET seq = chain.seq, hash = chain.hash WHERE id = waits.id;
        last := waits.id;
        linked := linked + 1;
    END LOOP;
    IF over THEN
        chain.linked_to := CASE WHEN linked < most THEN chain.next_to ELSE least(chain.next_to, last) END;
    END IF;
    -- of another server's transactions, where it comes of a restored copy, nobody waits for the end
    IF seen IS NOT NULL AND (over OR chain.next_before > pg_current_xact_id()) THEN
        chain.next_to := greatest(chain.next_to, seen);
        chain.next_before := pg_current_xact_id();
    END IF;
    UPDATE log.audit_chain SET seq = chain.seq, hash = chain.hash, linked_to = chain.linked_to, next_to = chain.next_to,
        next_before = chain.next_before;
    RETURN linked;
END
$$;
