-- Since when a start is tried, and why it did not succeed so far: it is not tried for ever, and ends with that reason.
ALTER TABLE instances ADD COLUMN first_tried_at timestamptz;
ALTER TABLE instances ADD COLUMN last_reason text;
