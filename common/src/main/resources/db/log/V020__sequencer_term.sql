-- Who numbers events, and until when by this database's clock: a sequencer that stands still keeps its connection, not its term.
CREATE TABLE sequencer_term (
    one    boolean PRIMARY KEY DEFAULT true CHECK (one),
    holder uuid NOT NULL,
    until  timestamptz NOT NULL
);
INSERT INTO sequencer_term (holder, until) VALUES ('00000000-0000-0000-0000-000000000000', '-infinity');
