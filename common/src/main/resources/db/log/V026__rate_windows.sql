-- What each replica counted of a limit's window, on a platform without Redis. What is lost is counted anew.
CREATE UNLOGGED TABLE rate_windows (
    counter    text NOT NULL,
    replica    uuid NOT NULL,
    used       bigint NOT NULL,
    expires_at timestamptz NOT NULL,
    PRIMARY KEY (counter, replica)
) WITH (fillfactor = 50); -- a count grows each second, within its page

CREATE INDEX rate_windows_by_time ON rate_windows (expires_at);
