package ai.molecule.registry.postgres;

/** What agents say they have spent, in {@code heartbeats}. */
public final class PgSpend {

    /**
     * The cents that an agent reported for this calendar month (UTC), of a row {@code h} of {@code heartbeats}, 0 without one. The month is
     * compared when the row is read, because an agent that hibernates reports nothing when a month begins.
     */
    public static final String OF_THIS_MONTH = """
            (CASE WHEN h.spend_month >= date_trunc('month', now() AT TIME ZONE 'UTC')::date THEN h.monthly_spend ELSE 0 END)""";

    private PgSpend() {}
}
