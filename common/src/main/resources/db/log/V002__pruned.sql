-- Up to where old events were deleted: whoever asks for what follows an earlier position must hear of the gap.
CREATE TABLE pruned (
    one     boolean PRIMARY KEY DEFAULT true CHECK (one),
    to_seq  bigint NOT NULL
);
INSERT INTO pruned (to_seq) VALUES (0);
