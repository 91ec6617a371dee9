-- One-time tickets of a platform without Redis. The key is a hash; what is lost is asked for anew.
CREATE UNLOGGED TABLE tickets (
    key        text PRIMARY KEY,
    value      text NOT NULL,
    expires_at timestamptz NOT NULL
);

CREATE INDEX tickets_by_time ON tickets (expires_at);
