-- PostgreSQL's parser of words takes quadratic time and worse for what might be a path, an address or a compound of many parts:
-- 20,000 characters of ./ take it 9 s. So it sees letters and digits alone, of the beginning.
CREATE FUNCTION registry.plain_words(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT translate(left(content, 20000), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', '                                ')
$$;

ALTER TABLE memories DROP COLUMN words;
ALTER TABLE memories
    ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('english', registry.plain_words(content))) STORED;

CREATE INDEX memories_words ON memories USING gin (words);
