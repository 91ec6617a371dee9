-- For the tasks of a past moment. Rows come in the order of their begin, so a range a page is enough, and costs writers next to nothing.
CREATE INDEX tasks_started ON tasks USING brin (started_at) WITH (pages_per_range = 16);

-- What a piece of work cost: the calls of models made in its traces.
CREATE INDEX model_calls_trace ON model_calls (trace_id) WHERE trace_id IS NOT NULL;
