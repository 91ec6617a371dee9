-- Work one workspace gave to another. This table is the truth; the activity rows and GET /workspaces/:id/delegations show it.
CREATE TABLE delegations (
    id              uuid PRIMARY KEY,           -- also the activity row of the request
    result_id       uuid NOT NULL,              -- the activity row of the outcome
    delegation_id   text NOT NULL,              -- what clients call it
    source_id       uuid NOT NULL,
    target_id       uuid,                       -- null only for an outcome reported of something never recorded
    task            text NOT NULL,
    idempotency_key text,                       -- SHA-256 of the client's, which may be long
    run_by          text NOT NULL CHECK (run_by IN ('platform', 'agent')),
    status          text NOT NULL CHECK (status IN ('pending', 'dispatched', 'queued', 'completed', 'failed')),
    waits_for       text CHECK (waits_for IN ('reply', 'capacity')),
    tries           integer NOT NULL DEFAULT 0,
    lookups         integer NOT NULL DEFAULT 0,
    sent            boolean NOT NULL DEFAULT false, -- set before the first byte leaves: from then on it is never sent again
    due_at          timestamptz,                -- when somebody has to look at it; while claimed, when the lease ends
    claim           bigint NOT NULL DEFAULT 0,  -- grows with every claim and every step, so that a claim lost is noticed
    deadline        timestamptz NOT NULL,
    result_status   text CHECK (result_status IN ('queued', 'completed', 'failed')),
    result_text     text,
    error           text,
    outcome_unknown boolean NOT NULL DEFAULT false,
    created_at      timestamptz NOT NULL DEFAULT now(),
    result_at       timestamptz,
    touched_at      timestamptz NOT NULL DEFAULT now(),
    revision        integer NOT NULL DEFAULT 1,
    projected       integer NOT NULL DEFAULT 0  -- the revision that the activity rows show
);

CREATE UNIQUE INDEX delegations_named ON delegations (source_id, delegation_id);
CREATE UNIQUE INDEX delegations_idempotency ON delegations (source_id, target_id, idempotency_key)
    WHERE idempotency_key IS NOT NULL AND status <> 'failed';
CREATE INDEX delegations_due ON delegations (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX delegations_listed ON delegations (source_id, touched_at DESC);
CREATE INDEX delegations_id ON delegations (delegation_id);
CREATE INDEX delegations_open ON delegations (source_id, target_id, created_at) WHERE status IN ('dispatched', 'queued');
CREATE INDEX delegations_unshown ON delegations (id) WHERE projected < revision;
CREATE INDEX delegations_age ON delegations (created_at);
