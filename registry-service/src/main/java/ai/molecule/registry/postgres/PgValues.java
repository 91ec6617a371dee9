package ai.molecule.registry.postgres;

import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jspecify.annotations.Nullable;

/** Times between Java and {@code timestamptz}. */
public final class PgValues {

    private PgValues() {}

    public static OffsetDateTime time(Instant instant) {
        return instant.atOffset(ZoneOffset.UTC);
    }

    public static @Nullable Instant instant(Row row, String column) {
        @Nullable OffsetDateTime value = row.getOffsetDateTime(column);
        return value == null ? null : value.toInstant();
    }
}
