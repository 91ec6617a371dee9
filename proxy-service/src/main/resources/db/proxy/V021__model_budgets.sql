-- What each workspace spent in a month (UTC) and what is promised to calls under way, in millionths of a dollar. The limits are the registry's.
CREATE TABLE model_budgets (
    workspace_id uuid NOT NULL,
    period       date NOT NULL,            -- the first day of the month
    spent        bigint NOT NULL DEFAULT 0,
    reserved     bigint NOT NULL DEFAULT 0,
    granted      bigint NOT NULL DEFAULT 0, -- by the last reservation: how it learns what it got
    PRIMARY KEY (workspace_id, period)
);

-- The promises one by one, so that those of a killed proxy end. Renewed while their call lives.
CREATE TABLE model_reservations (
    call_id      uuid PRIMARY KEY,
    workspace_id uuid NOT NULL,
    period       date NOT NULL,
    micros       bigint NOT NULL,
    expires_at   timestamptz NOT NULL
);

CREATE INDEX model_reservations_expiry ON model_reservations (expires_at);
