-- Imports under way: written before the first workspace is created, deleted when nothing is left to do. Whoever works on one holds
-- the advisory lock of its id; one that nobody holds was cut short by a crash.
CREATE TABLE imports (
    id         uuid PRIMARY KEY,
    roots      uuid[] NOT NULL,
    managed    uuid[] NOT NULL,
    start      boolean NOT NULL,
    equipped   boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT now()
);
