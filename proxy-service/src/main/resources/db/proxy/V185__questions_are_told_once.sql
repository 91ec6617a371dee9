-- What a task asked last, so that looking at it again tells nobody the same question again.
ALTER TABLE waits ADD COLUMN asked text;        -- 'input' or 'auth', a space and the question; null for other causes and from before
