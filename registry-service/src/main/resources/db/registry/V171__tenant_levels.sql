-- How much of a tenant's budget had been spent when that was last told, and of which root of its: the oldest that was not removed.
CREATE TABLE tenant_levels (
    name    text PRIMARY KEY,
    root    uuid,
    percent smallint NOT NULL CHECK (percent IN (0, 80, 100))
);
