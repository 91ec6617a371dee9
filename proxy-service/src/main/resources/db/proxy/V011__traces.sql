-- The trace in which something was delegated (W3C traceparent), for the message to its target.
ALTER TABLE delegations ADD COLUMN traceparent text;
