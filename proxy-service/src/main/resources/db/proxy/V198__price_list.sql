-- The signed price list that MOLECULE_PRICE_LIST names: the one that was taken last, for all proxies, and what came of the last look. One row.
CREATE TABLE price_list (
    name       text PRIMARY KEY DEFAULT 'list' CHECK (name = 'list'),
    version    bigint NOT NULL DEFAULT 0,           -- another one with each list that is taken
    content    bytea CHECK (length(content) <= 1048576), -- its bytes as they are signed; null before the first
    signature  text,
    taken_from text,
    taken_at   timestamptz,
    -- The last look.
    source     text,
    keys       text,                                -- by which it was believed, or not
    tried_at   timestamptz,
    failure    text,                                -- why nothing was taken; null where all is well
    next_at    timestamptz NOT NULL DEFAULT now()   -- when the next one is due
);
INSERT INTO price_list DEFAULT VALUES;
