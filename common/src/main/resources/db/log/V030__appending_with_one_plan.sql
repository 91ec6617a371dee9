-- Planned once for each connection: the plan depends on no value, and making one for all days' partitions took longer than appending 16 rows.
ALTER FUNCTION append_activity(uuid[], uuid[], text[], uuid[], uuid[], text[], text[], text[], text[], text[], integer[], text[], text[],
    text[], uuid[], timestamptz[]) SET plan_cache_mode = force_generic_plan;
ALTER FUNCTION advance_activity(uuid[], uuid[], uuid[], text[], text[], text[], text[], text[]) SET plan_cache_mode = force_generic_plan;
