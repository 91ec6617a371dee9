package ai.molecule.registry.secrets;

import ai.molecule.common.ApiError;
import ai.molecule.registry.postgres.PgValues;
import ai.molecule.registry.secrets.Vault.Place;
import ai.molecule.registry.secrets.Vault.Sealed;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A secret as it stands in its table: what opens it, and what it is called where one cannot be opened. */
final class PgSealedRow {

    private PgSealedRow() {}

    /** Its value; empty when it cannot be opened. */
    static Optional<String> open(Vault vault, Row row, @Nullable UUID workspaceId) {
        return vault.open(
                placeOf(row, workspaceId),
                new Sealed(
                        row.getBuffer("encrypted_value"),
                        row.getInteger("encryption_version"),
                        row.getString("key_id")));
    }

    static Place placeOf(Row row, @Nullable UUID workspaceId) {
        String key = row.getString("key");
        return switch (row.getString("scope")) {
            case "organisation" -> Place.organisationKey(key);
            case "kept" -> Place.kept(key);
            case "global" -> new Place(null, key);
            default -> new Place(workspaceId, key);
        };
    }

    /** Whether what stands there is a reference to the value. */
    static boolean isReference(Row row) {
        return Vault.isReference(row.getInteger("encryption_version"));
    }

    /** The secret; empty when it cannot be opened. */
    static Optional<Secret> openSecret(Vault vault, Row row, @Nullable UUID workspaceId) {
        return open(vault, row, workspaceId).map(text -> new Secret(row.getString("key"), text, isReference(row)));
    }

    static Sealed seal(Vault vault, Place place, Secret secret) {
        return secret.isReference() ? vault.sealReference(place, secret.value()) : vault.seal(place, secret.value());
    }

    static boolean isGlobal(Row row) {
        return row.getString("scope").equals("global");
    }

    static String nameOf(Row row) {
        return row.getString("scope") + ":" + row.getString("key");
    }

    static Grants grantsOf(Row row) {
        UUID @Nullable [] branches = row.getArrayOfUUIDs("granted_to");
        return branches == null ? Grants.EVERYBODY : new Grants(List.of(branches));
    }

    private static List<UUID> outdatedOf(Row row) {
        UUID @Nullable [] ids = row.getArrayOfUUIDs("outdated");
        return ids == null ? List.of() : List.of(ids);
    }

    static List<SecretEntry> toEntries(RowSet<Row> rows) {
        return rows.stream()
                .map(row -> new SecretEntry(
                        row.getString("key"),
                        row.getString("scope"),
                        row.getOffsetDateTime("created_at").toInstant(),
                        row.getOffsetDateTime("updated_at").toInstant(),
                        row.getString("store"),
                        PgValues.instant(row, "last_read_at"),
                        row.getUUID("last_read_by"),
                        outdatedOf(row),
                        grantsOf(row)))
                .toList();
    }

    /** Fails with CONFLICT when there are too many. */
    static Future<Void> requireBound(RowSet<Row> counted) {
        return counted.iterator().next().getLong(0) <= Secret.COUNT_MAX
                ? Future.succeededFuture()
                : Future.failedFuture(ApiError.conflict("maximum %d secrets".formatted(Secret.COUNT_MAX)));
    }
}
