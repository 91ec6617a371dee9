-- As it is compared where the language is not known: in small letters and without what stands above or below a letter. By far most texts are
-- ASCII and cost nothing here.
CREATE FUNCTION registry.folded(content text) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT CASE WHEN octet_length(content) = char_length(content) THEN lower(content)
        ELSE lower(normalize(regexp_replace(normalize(translate(replace(content, 'ß', 'ss'), 'øØłŁđĐ', 'oOlLdD'), NFD),
            '[\u0300-\u036f]+', '', 'g'), NFC)) END
$$;

-- Words by their English stems, as before, and beside them all words as they stand: names, words of other languages, and those that English
-- search leaves out, such as "who" and "it".
ALTER TABLE memories DROP COLUMN words;
ALTER TABLE memories
    ADD COLUMN words tsvector NOT NULL GENERATED ALWAYS AS (
        to_tsvector('english', registry.plain_words(content)) || to_tsvector('simple', registry.folded(registry.plain_words(content)))) STORED;

CREATE INDEX memories_words ON memories USING gin (words);
