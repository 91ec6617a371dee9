-- What comes in from elsewhere and becomes work: who sends it, to whom it goes and in which words.
CREATE TABLE webhooks (
    type         text PRIMARY KEY,
    workspace_id uuid,                              -- null where the address names it: github
    title        text NOT NULL,                     -- templates
    brief        text NOT NULL,
    events       text[],                            -- null for all
    limit_usd    numeric,
    created_at   timestamptz NOT NULL DEFAULT now()
);

-- What was taken: a delivery comes once, under whichever id.
CREATE TABLE webhook_deliveries (
    type        text NOT NULL,
    delivery_id text NOT NULL,
    digest      bytea NOT NULL,                     -- SHA-256 of the body and whom it was for
    work_id     uuid NOT NULL,
    taken_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (type, delivery_id),
    UNIQUE (type, digest)
);

CREATE INDEX webhook_deliveries_age ON webhook_deliveries (taken_at);
