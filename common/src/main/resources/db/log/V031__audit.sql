-- The record of who did what. A row is appended in the transaction of the change it tells, by log.append_audit, without a position. The
-- leader that numbers events then links it: hash is SHA-256, in hexadecimal, of the hash before it, seq and entry with a space
-- between each (docs/wire/audit.md). entry is exact text, so that it can be checked anywhere; what is filtered by is read out of it.
CREATE TABLE audit (
    id           bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seq          bigint UNIQUE,
    hash         text,
    at           timestamptz NOT NULL,
    entry        text NOT NULL,
    actor_kind   text NOT NULL GENERATED ALWAYS AS ((entry::jsonb #>> '{actor,kind}')) STORED,
    actor_name   text NOT NULL GENERATED ALWAYS AS ((entry::jsonb #>> '{actor,name}')) STORED,
    workspace_id uuid GENERATED ALWAYS AS ((entry::jsonb ->> 'workspace_id')::uuid) STORED,
    verb         text NOT NULL GENERATED ALWAYS AS ((entry::jsonb ->> 'verb')) STORED,
    object       text GENERATED ALWAYS AS ((entry::jsonb ->> 'object')) STORED,
    CHECK ((seq IS NULL) = (hash IS NULL))
);

CREATE INDEX audit_unlinked ON audit (id) WHERE seq IS NULL;
CREATE INDEX audit_of_workspace ON audit (workspace_id, seq DESC);
CREATE INDEX audit_of_actor ON audit (actor_name, seq DESC);

-- The end of the chain, and where it begins since older rows were deleted.
CREATE TABLE audit_chain (
    one       boolean PRIMARY KEY DEFAULT true CHECK (one),
    seq       bigint NOT NULL,
    hash      text NOT NULL,
    base_seq  bigint NOT NULL,
    base_hash text NOT NULL
);
INSERT INTO audit_chain (seq, hash, base_seq, base_hash) VALUES (0, repeat('0', 64), 0, repeat('0', 64));

CREATE FUNCTION audit_hash(before text, seq bigint, entry text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $$ SELECT encode(sha256(convert_to(before || ' ' || seq || ' ' || entry, 'UTF8')), 'hex') $$;

-- In the transaction of what happened. who is {"kind", "name", …}; null for whom the transaction names (molecule.actor), or else
-- for the platform itself, by the service whose connection this is.
CREATE FUNCTION append_audit(verb text, workspace_id uuid, object text, verdict text, reason text, detail jsonb, who jsonb DEFAULT NULL)
    RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    AS $$
DECLARE
    moment timestamptz := clock_timestamp();
    actor  jsonb := coalesce(who, nullif(current_setting('molecule.actor', true), '')::jsonb,
        jsonb_build_object('kind', 'platform', 'name', current_setting('application_name')));
    made   bigint;
BEGIN
    INSERT INTO log.audit (at, entry)
    VALUES (moment, jsonb_strip_nulls(jsonb_build_object(
        'at', to_char(moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), 'actor', actor, 'verb', $1, 'workspace_id', $2,
        'object', $3, 'verdict', $4, 'reason', $5, 'detail', nullif($6, '{}')))::text)
    RETURNING id INTO made;
    RETURN made;
END
$$;

-- At most 200 characters of a value; of a hash as many as tell two apart.
CREATE FUNCTION audit_value(told jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    AS $$
    SELECT CASE
        WHEN jsonb_typeof(told) = 'string' AND starts_with(told #>> '{}', E'\\x') THEN to_jsonb(substr(told #>> '{}', 3, 8))
        WHEN jsonb_typeof(told) = 'string' THEN to_jsonb(left(told #>> '{}', 200))
        WHEN length(told::text) > 1000 THEN to_jsonb(length(told::text) || ' characters')
        ELSE told END
    $$;

-- A trigger for each row of a table. Arguments: what the verb begins with, the column that names the object, the one with the
-- workspace ('' for none), the columns that are told with their values, and then as many column:verb or column=value:verb as there are changes
-- with a verb of their own, of which the first that holds is taken.
CREATE FUNCTION audit_change() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
    was    jsonb := to_jsonb(OLD);
    becomes jsonb := to_jsonb(NEW);
    any_of jsonb := coalesce(becomes, was);
    doing  text := CASE TG_OP WHEN 'INSERT' THEN 'created' WHEN 'DELETE' THEN 'deleted' ELSE 'changed' END;
    told   jsonb := '{}';
    col    text;
    rule   text;
BEGIN
    IF TG_OP <> 'DELETE' THEN
        FOREACH col IN ARRAY string_to_array(TG_ARGV[3], ' ') LOOP
            IF TG_OP = 'INSERT' AND becomes ->> col IS NOT NULL THEN
                told := told || jsonb_build_object(col, log.audit_value(becomes -> col));
            ELSIF TG_OP = 'UPDATE' AND was -> col IS DISTINCT FROM becomes -> col THEN
                told := told || jsonb_build_object(col, jsonb_build_array(log.audit_value(was -> col), log.audit_value(becomes -> col)));
            END IF;
        END LOOP;
    END IF;
    IF TG_OP = 'UPDATE' THEN
        FOREACH rule IN ARRAY TG_ARGV[4:] LOOP
            col := split_part(split_part(rule, ':', 1), '=', 1);
            IF was -> col IS DISTINCT FROM becomes -> col
                    AND (position('=' IN rule) = 0 OR becomes ->> col = split_part(split_part(rule, ':', 1), '=', 2)) THEN
                doing := split_part(rule, ':', 2);
                EXIT;
            END IF;
        END LOOP;
    END IF;
    PERFORM log.append_audit(TG_ARGV[0] || '.' || doing, nullif(any_of ->> nullif(TG_ARGV[2], ''), '')::uuid,
        log.audit_value(any_of -> TG_ARGV[1]) #>> '{}', 'done', NULL, told);
    RETURN NULL;
END
$$;

-- Links up to so many rows in the order in which they were appended, and answers how many. The fence is that of the events' numbers: who holds
-- no term links nothing, and nobody claims one while a link is made. All of it is one statement: a leader that dies in it has linked nothing.
CREATE FUNCTION link_audit(leader uuid, most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
    chain  log.audit_chain;
    waits  record;
    linked integer := 0;
BEGIN
    IF NOT EXISTS (SELECT 1 FROM log.audit WHERE seq IS NULL) THEN
        RETURN 0;
    END IF;
    PERFORM 1 FROM log.sequencer_term WHERE holder = leader AND until > clock_timestamp() FOR SHARE;
    IF NOT FOUND THEN
        RETURN 0;
    END IF;
    SELECT * INTO chain FROM log.audit_chain FOR UPDATE;
    FOR waits IN SELECT id, entry FROM log.audit WHERE seq IS NULL ORDER BY id LIMIT most LOOP
        chain.seq := chain.seq + 1;
        chain.hash := log.audit_hash(chain.hash, chain.seq, waits.entry);
        UPDATE log.audit SET seq = chain.seq, hash = chain.hash WHERE id = waits.id;
        linked := linked + 1;
    END LOOP;
    UPDATE log.audit_chain SET seq = chain.seq, hash = chain.hash;
    RETURN linked;
END
$$;

-- Deletes up to so many of the oldest rows from before a moment, and has the chain begin behind them.
CREATE FUNCTION forget_audit(before timestamptz, most integer) RETURNS integer
    LANGUAGE plpgsql
    AS $$
DECLARE
    chain log.audit_chain;
    last  bigint;
    forgotten integer;
BEGIN
    SELECT * INTO chain FROM log.audit_chain FOR UPDATE;
    SELECT max(seq) INTO last FROM (
        SELECT seq, bool_and(at < before) OVER (ORDER BY seq) AS old FROM log.audit WHERE seq > chain.base_seq ORDER BY seq LIMIT most
    ) AS oldest WHERE old;
    IF last IS NULL THEN
        RETURN 0;
    END IF;
    UPDATE log.audit_chain SET base_seq = last, base_hash = (SELECT hash FROM log.audit WHERE seq = last);
    DELETE FROM log.audit WHERE seq <= last;
    GET DIAGNOSTICS forgotten = ROW_COUNT;
    RETURN forgotten;
END
$$;

-- A mistake in a statement changes nothing that was recorded. Against whoever may disable a trigger there is the chain.
CREATE FUNCTION audit_stays() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF TG_OP = 'DELETE' AND OLD.seq <= (SELECT base_seq FROM log.audit_chain) THEN
        RETURN OLD;
    ELSIF TG_OP = 'UPDATE' AND OLD.seq IS NULL AND NEW.entry = OLD.entry AND NEW.at = OLD.at THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'what was recorded stays as it is';
END
$$;

CREATE TRIGGER audit_stays BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION audit_stays();
