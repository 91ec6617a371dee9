-- PostgreSQL's parser of words takes quadratic time for a run of underscores, and reads up to a mebibyte.
ALTER TABLE memories DROP COLUMN words;
ALTER TABLE memories
    ADD COLUMN words tsvector NOT NULL
        GENERATED ALWAYS AS (to_tsvector('english', translate(left(content, 20000), '_', ' '))) STORED;

CREATE INDEX memories_words ON memories USING gin (words);
