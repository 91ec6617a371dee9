-- Where agents that are processes or containers run: their pids, ports and files mean nothing on another machine, so one place at a time has
-- them, by a term that its provisioners renew. One row at most.
CREATE TABLE agent_host (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    id text NOT NULL,
    place text NOT NULL,
    held_until timestamptz NOT NULL
);
