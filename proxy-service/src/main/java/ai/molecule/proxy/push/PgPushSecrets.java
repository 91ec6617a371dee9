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
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What receivers believe us by, sealed in {@code push_configs}: the registry has the key, and is asked before a row is written and at each delivery. */
final class PgPushSecrets {

    /** In clear, or sealed by another key than the present one. */
    private static final String OTHERWISE = """
            SELECT id, token, credentials, sealed FROM push_configs
            WHERE token IS NOT NULL OR credentials IS NOT NULL OR NOT starts_with(sealed, $1) ORDER BY created_at LIMIT $2
            """;

    /** A row that was replaced meanwhile has another id. */
    private static final String SEAL =
            "UPDATE push_configs SET sealed = $2, token = NULL, credentials = NULL WHERE id = $1";

    /** Where nothing is kept, to learn by which key is sealed now. */
    private static final String NOWHERE = "push_configs/";

    private final Bus bus;
    private final Database database;

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

    /** Seals what is in clear or sealed by an older key; completes with how many. */
    Future<Integer> sealOthers(int max) {
        return bus.call(SealSecret.CONTRACT, new SealSecret(NOWHERE, ""))
                .compose(now -> database.list(OTHERWISE, Tuple.of(now.key(), max), row -> row))
                .compose(this::sealEach);
    }

    private Future<Integer> sealEach(List<Row> rows) {
        List<Future<Boolean>> each = new ArrayList<>();
        for (var row : rows) {
            UUID id = row.getUUID("id");
            @Nullable String before = row.getString("sealed");
            var clear = before == null
                    ? Future.<@Nullable String>succeededFuture(
                            json(row.getString("token"), row.getString("credentials")))
                    : opened(id, before);
            each.add(clear.compose(json -> json == null
                    ? Future.succeededFuture(false)
                    : bus.call(SealSecret.CONTRACT, new SealSecret(placeOf(id), json))
                            .compose(anew -> database.changes(SEAL, Tuple.of(id, anew.text())))));
        }
        return Future.all(each)
                .map(done -> (int) each.stream().filter(Future::result).count());
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
