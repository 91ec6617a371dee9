-- Activity rows that events-service did not take at once, so that a killed proxy does not take them with it. A few, and briefly.
CREATE TABLE held_rows (
    id    uuid PRIMARY KEY,
    owner uuid NOT NULL,
    body  text NOT NULL          -- the row as it goes over the bus, JSON text
);

CREATE INDEX held_rows_of_owner ON held_rows (owner);
