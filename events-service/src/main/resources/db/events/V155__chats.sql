-- A bot at a messenger by which people hear what waits for them, ask and decide. One replica at a time holds it: what the bot was told is read
-- from next_update on, and that moves in the transaction that keeps what was read.
CREATE TABLE chat_bots (
    channel       text PRIMARY KEY,
    url           text NOT NULL,
    bot           text NOT NULL,                 -- its number: what another one was told is counted anew
    next_update   bigint NOT NULL DEFAULT 0,
    tries         integer NOT NULL DEFAULT 0,    -- at the next one
    holder        uuid,
    held_until    timestamptz,
    heard_at      timestamptz,
    failing_since timestamptz,
    last_error    text
);

-- Who is known there as whom. The token is known by its hash alone: what it opens the registry is asked each time.
CREATE TABLE chats (
    sender     text PRIMARY KEY,
    channel    text NOT NULL REFERENCES chat_bots ON DELETE CASCADE,
    login      text NOT NULL,
    token_hash text NOT NULL,
    speaks_to  uuid,                             -- the agent that was addressed last
    target     uuid NOT NULL UNIQUE REFERENCES notification_targets ON DELETE CASCADE,
    linked_at  timestamptz NOT NULL DEFAULT now()
);

-- What was asked there and is not answered: the ids of pieces of work.
CREATE TABLE chat_questions (
    work_id      uuid PRIMARY KEY,
    sender       text NOT NULL REFERENCES chats ON DELETE CASCADE,
    workspace_id uuid NOT NULL,
    asked_at     timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chat_questions_of ON chat_questions (sender);

-- What is to be said there. Deleted once it was taken.
CREATE TABLE chat_replies (
    id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    sender     text NOT NULL REFERENCES chats ON DELETE CASCADE,
    words      text NOT NULL,
    attempts   integer NOT NULL DEFAULT 0,
    due_at     timestamptz NOT NULL DEFAULT now(),
    created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chat_replies_of ON chat_replies (sender, id);
