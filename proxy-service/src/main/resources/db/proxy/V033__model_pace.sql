-- What a provider may be asked now with one key, in requests and in tokens: it fills up with time, as providers' own limits do.
CREATE TABLE model_paces (
    provider text NOT NULL,
    owner    uuid NOT NULL,             -- the workspace whose own key it is, nil of the one given to all
    requests double precision NOT NULL,
    tokens   double precision NOT NULL, -- below 0 when more was written than was foreseen
    at       timestamptz NOT NULL,
    PRIMARY KEY (provider, owner)
);

-- Lets the first of those that ask go, as many as there is room for. At most ten seconds' worth goes at once, so that a provider who counts
-- in shorter times than a minute is kept to as well; who asks for more than that goes when there is no more to wait for, and those
-- behind it pay for it with time. Proxies wait here for each other's answers: the row is locked.
-- owed: tokens more than were asked for, of calls that are over, less those of calls that did not go.
-- wait_ms: until the first that may not go may, 0 when all may.
CREATE FUNCTION pace_calls(
    of_provider text, of_owner uuid, per_minute_requests bigint, per_minute_tokens bigint, owed bigint, unused bigint, asked bigint[],
    OUT let_go integer, OUT wait_ms bigint
) LANGUAGE plpgsql AS $$
DECLARE
    most_requests double precision := greatest(1, per_minute_requests / 6.0);
    most_tokens double precision := per_minute_tokens / 6.0;
    passed double precision;
    short double precision;
    wanted bigint;
    have model_paces;
BEGIN
    let_go := 0;
    wait_ms := 0;
    INSERT INTO model_paces VALUES (of_provider, of_owner, most_requests, coalesce(most_tokens, 0), clock_timestamp())
        ON CONFLICT DO NOTHING;
    SELECT * INTO have FROM model_paces WHERE provider = of_provider AND owner = of_owner FOR UPDATE;
    passed := greatest(0, extract(epoch FROM clock_timestamp() - have.at));
    have.requests := coalesce(least(most_requests, have.requests + passed * per_minute_requests / 60 + unused), 0);
    have.tokens := coalesce(least(most_tokens, have.tokens + passed * per_minute_tokens / 60 - owed), 0);
    FOREACH wanted IN ARRAY asked LOOP
        short := greatest(
            coalesce((1 - have.requests) * 60 / per_minute_requests, 0),
            coalesce((least(wanted, most_tokens) - have.tokens) * 60 / per_minute_tokens, 0));
        IF short > 0 THEN
            wait_ms := greatest(1, ceil(short * 1000));
            EXIT;
        END IF;
        have.requests := have.requests - 1;
        have.tokens := have.tokens - wanted;
        let_go := let_go + 1;
    END LOOP;
    UPDATE model_paces SET requests = have.requests, tokens = have.tokens, at = clock_timestamp()
        WHERE provider = of_provider AND owner = of_owner;
END
$$;

-- Of calls that were asked more than once, or of another model than was named first.
ALTER TABLE model_calls
    ADD COLUMN attempts   integer NOT NULL DEFAULT 1,
    ADD COLUMN instead_of text;                       -- provider:model
