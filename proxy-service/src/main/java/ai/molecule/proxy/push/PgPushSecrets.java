package ai.molecule.proxy.push;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.OpenSecret;
import ai.molecule.common.bus.registry.SealSecret;
import ai.molecule.common.db.Database;
import ai.molecule.common.json.Json;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What receivers believe us by, sealed in {@code push_configs}: the registry has the key, and is asked before a row is written and at each delivery. */
final class PgPushSecrets {

    /** In clear, or sealed by another key than the present one; behind a row where one is named. */
    private static final String OTHERWISE = """
            SELECT id, created_at, token, credentials, sealed FROM push_configs
            WHERE (token IS NOT NULL OR credentials IS NOT NULL OR NOT starts_with(sealed, $1))
                AND ($3::timestamptz IS NULL OR (created_at, id) > ($3, $4::uuid))
            ORDER BY created_at, id LIMIT $2
            """;

    /** A row that was replaced meanwhile has another id. */
    private static final String SEAL =
            "UPDATE push_configs SET sealed = $2, token = NULL, credentials = NULL WHERE id = $1";

    /** Where nothing is kept, to learn by which key is sealed now. */
    private static final String NOWHERE = "push_configs/";

    private record Place(OffsetDateTime createdAt, UUID id) {}

    private final Bus bus;
    private final Database database;

    /** Behind which {@link #sealOthers} goes on: what cannot be opened stays as it is, and must not keep it from the rest. Null for the beginning. */
    private @Nullable Place reached;

    PgPushSecrets(Bus bus, Database database) {
        this.bus = bus;
        this.database = database;
    }

    /** What is stored of it under that id: null where it has neither. */
    Future<@Nullable String> seal(UUID id, PushConfig config) {
        return config.token() == null && config.credentials() == null
                ? Future.succeededFuture()
                : sealed(id, config.token(), config.credentials());
    }

    /** As it was given; fails with INTERNAL where it cannot be opened. */
    Future<PushConfig> open(UUID id, PushConfig config) {
        String sealed = config.sealed();
        return sealed == null
                ? Future.succeededFuture(config)
                : opened(id, sealed).map(json -> {
                    if (json == null) {
                        throw ApiError.internal("what a receiver of notifications is shown cannot be decrypted");
                    }
                    var secrets = Json.stored(json);
                    return new PushConfig(
                            config.id(),
                            config.url(),
                            secrets.path("token").textValue(),
                            config.scheme(),
                            secrets.path("credentials").textValue(),
                            null);
                });
    }

    /**
     * Looks at the next so many rows that are in clear or sealed by an older key, from the first one again behind the last, and seals those that can
     * be opened. Completes with how many of each there were, in words; fails where the registry does not answer.
     */
    Future<String> sealOthers(int max) {
        var from = reached;
        return bus.call(SealSecret.CONTRACT, new SealSecret(NOWHERE, ""))
                .compose(now -> database.list(
                        OTHERWISE,
                        Tuple.of(now.key(), max, from == null ? null : from.createdAt, from == null ? null : from.id),
                        row -> row))
                .compose(rows -> sealEach(rows).onSuccess(done -> reached = rows.size() < max ? null : placeOf(rows)))
                .map(each -> "sealed %d, left %d"
                        .formatted(
                                each.stream().filter(done -> done).count(),
                                each.stream().filter(done -> !done).count()));
    }

    private static Place placeOf(List<Row> rows) {
        return new Place(
                rows.getLast().getOffsetDateTime("created_at"), rows.getLast().getUUID("id"));
    }

    /** Whether each was sealed. */
    private Future<List<Boolean>> sealEach(List<Row> rows) {
        return Future.all(rows.stream().map(this::sealAnew).toList()).map(done -> done.<Boolean>list());
    }

    private Future<Boolean> sealAnew(Row row) {
        UUID id = row.getUUID("id");
        @Nullable String before = row.getString("sealed");
        var clear = before == null
                ? Future.<@Nullable String>succeededFuture(json(row.getString("token"), row.getString("credentials")))
                : opened(id, before);
        return clear.compose(json -> json == null
                ? Future.succeededFuture(false)
                : bus.call(SealSecret.CONTRACT, new SealSecret(placeOf(id), json))
                        .compose(anew -> database.changes(SEAL, Tuple.of(id, anew.text()))));
    }

    private Future<@Nullable String> sealed(UUID id, @Nullable String token, @Nullable String credentials) {
        return bus.call(SealSecret.CONTRACT, new SealSecret(placeOf(id), json(token, credentials)))
                .map(SealSecret.Sealed::text);
    }

    private Future<@Nullable String> opened(UUID id, String sealed) {
        return bus.call(OpenSecret.CONTRACT, new OpenSecret(placeOf(id), sealed))
                .map(OpenSecret.Value::value);
    }

    private static String json(@Nullable String token, @Nullable String credentials) {
        return Json.text(Json.object().put("token", token).put("credentials", credentials));
    }

    private static String placeOf(UUID id) {
        return NOWHERE + id;
    }
}
