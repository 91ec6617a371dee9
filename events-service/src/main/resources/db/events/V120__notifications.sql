-- Who is told where of what waits for a person, and what they are still to be told. A target is due while something is: it is told one thing
-- after the other, by one replica at a time.
CREATE TABLE notification_targets (
    id            uuid PRIMARY KEY,
    name          text NOT NULL,
    who           text NOT NULL,                    -- a person or a role, in the administrator's words
    channel       text NOT NULL,                    -- ai.molecule.events.notifications.Channel
    url           text NOT NULL,                    -- empty where it is the secret
    mail          jsonb,                            -- from, to, user, plain
    kinds         text[],                           -- of the inbox; null for all
    quiet_from    time,
    quiet_to      time,
    digest_at     time,
    zone          text NOT NULL,
    deputy        uuid REFERENCES notification_targets (id) ON DELETE SET NULL,
    deputy_until  timestamptz,
    enabled       boolean NOT NULL,
    created_at    timestamptz NOT NULL DEFAULT now(),
    last_n        bigint NOT NULL DEFAULT 0,        -- of its newest notification
    attempts      integer NOT NULL DEFAULT 0,       -- at the oldest one that is not ended
    claim         bigint NOT NULL DEFAULT 0,
    due_at        timestamptz,                      -- null: there is nothing to tell
    held_until    timestamptz,                      -- null: no replica is telling it anything
    digest_due    timestamptz,                      -- null: it wants none
    digest_from   timestamptz NOT NULL DEFAULT now(),
    failing_since timestamptz,
    last_error    text,
    delivered_at  timestamptz
);

CREATE INDEX notification_targets_due ON notification_targets (due_at) WHERE due_at IS NOT NULL;

-- One thing that waits is told of once to each: its row in the inbox, and since when it waits.
CREATE TABLE notifications (
    target     uuid NOT NULL REFERENCES notification_targets (id) ON DELETE CASCADE,
    n          bigint NOT NULL,
    event      text NOT NULL,                       -- waiting, digest
    inbox_id   uuid,
    opened_at  timestamptz,
    body       jsonb NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    ended_at   timestamptz,
    outcome    text,                                -- delivered; over: it waits no more; failed: given up
    PRIMARY KEY (target, n),
    UNIQUE (target, inbox_id, opened_at)
);

CREATE INDEX notifications_open ON notifications (target, n) WHERE ended_at IS NULL;
CREATE INDEX notifications_ended ON notifications (ended_at) WHERE ended_at IS NOT NULL;
