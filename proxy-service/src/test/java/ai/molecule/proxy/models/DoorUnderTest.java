package ai.molecule.proxy.models;

import static org.awaitility.Awaitility.await;

import ai.molecule.common.db.Postgres;
import ai.molecule.proxy.ProxyUnderTest;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.client.HttpResponse;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A proxy whose providers are one fake: {@code fake}, with a key and a price of 2 and 10 dollars per million tokens for {@code m},
 * 0.5 from a cache; {@code openai}, {@code anthropic} and {@code google} the same; {@code gone}, where nobody listens; others, each with
 * one limit or those that stand in for it.
 */
final class DoorUnderTest {

    static final String KEY = "the-providers-key";
    static final String CHAT = "/models/openai/v1/chat/completions";
    static final String STREAMED = "{\"model\":\"m\",\"stream\":true}";
    static final String MESSAGES = "/models/anthropic/v1/messages";

    final FakeProvider provider;
    final ProxyUnderTest proxy;
    final UUID workspace = UUID.randomUUID();
    final String token;
    private final Pool pool;

    DoorUnderTest(Vertx vertx, Path folder) {
        this(vertx, folder, limits -> limits);
    }

    /** @param env variables of the proxy's, names and values in turn */
    DoorUnderTest(Vertx vertx, Path folder, UnaryOperator<ModelLimits> tuned, String... env) {
        provider = new FakeProvider(vertx);
        proxy = ProxyUnderTest.start(
                vertx,
                config -> config.withModels(
                        config.models().with(tuned.apply(config.models().limits()))),
                Stream.concat(
                                Stream.of(env),
                                Stream.of(
                                        "MOLECULE_PROVIDERS",
                                        table(folder, provider.url()).toString()))
                        .toArray(String[]::new));
        proxy.platform.secrets.put("FAKE_KEY", KEY);
        token = proxy.platform.tokenOf(workspace);
        pool = Postgres.pool(vertx, proxy.databaseUrl(), "proxy");
    }

    HttpResponse<Buffer> ask(String path, String body, String... headers) {
        return askAs(token, path, body, headers);
    }

    HttpResponse<Buffer> askAs(String bearer, String path, String body, String... headers) {
        return asking(bearer, path, body, headers).await();
    }

    Future<HttpResponse<Buffer>> asking(String bearer, String path, String body, String... headers) {
        var all = MultiMap.caseInsensitiveMultiMap().add("Authorization", "Bearer " + bearer);
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1]);
        }
        return proxy.client.post(path).putHeaders(all).sendBuffer(Buffer.buffer(body));
    }

    HttpResponse<Buffer> get(String path) {
        return proxy.client
                .get(path)
                .putHeader("Authorization", "Bearer " + token)
                .send()
                .await();
    }

    /** The one row of this workspace, once it is written. */
    Row row() {
        return rows(1).getFirst();
    }

    List<Row> rows(int count) {
        return await().until(
                        () -> query("SELECT * FROM proxy.model_calls WHERE workspace_id = $1 ORDER BY started_at"),
                        rows -> rows.size() >= count);
    }

    List<Row> query(String sql) {
        return pool.preparedQuery(sql).execute(Tuple.of(workspace)).await().stream()
                .toList();
    }

    long spent() {
        var rows = query("SELECT spent FROM proxy.model_budgets WHERE workspace_id = $1");
        return rows.isEmpty() ? 0 : rows.getFirst().getLong("spent");
    }

    long reserved() {
        var rows = query("SELECT reserved FROM proxy.model_budgets WHERE workspace_id = $1");
        return rows.isEmpty() ? 0 : rows.getFirst().getLong("reserved");
    }

    private static Path table(Path folder, String url) {
        String prices =
                "[{\"model\":\"m\",\"in\":2,\"out\":10,\"cached\":0.5,\"cache_write\":4,\"dated\":\"2026-11-01\"},"
                        + "{\"model\":\"kept\",\"in\":2,\"out\":10,\"cache_write\":4,\"cache_write_hour\":8,\"dated\":\"2026-11-01\"}]";
        String text = "{\"providers\":["
                + "{\"name\":\"unkeyed\",\"endpoints\":{\"openai\":\"%1$s/v1\"},\"secret\":\"NOBODY_HAS\"},"
                + row("fake", "{\"openai\":\"%1$s/v1\",\"anthropic\":\"%1$s\",\"google\":\"%1$s/g\"}", prices)
                + "," + row("openai", "{\"openai\":\"%1$s/v1\"}", prices)
                + "," + row("anthropic", "{\"anthropic\":\"%1$s\"}", prices)
                + "," + row("google", "{\"google\":\"%1$s/g\"}", prices)
                + "," + row("gone", "{\"openai\":\"http://127.0.0.1:1/v1\"}", prices)
                + "," + row("narrow", "{\"openai\":\"%1$s/v1\"}", prices, "\"parallel_max\":1")
                + "," + row("paced", "{\"openai\":\"%1$s/v1\"}", prices, "\"requests_per_minute\":60")
                + "," + row("metered", "{\"openai\":\"%1$s/v1\"}", prices, "\"tokens_per_minute\":6000")
                + "," + row("weak", "{\"openai\":\"%1$s/weak/v1\"}", prices, "\"fallbacks\":[\"gone:m\",\"fake\"]")
                + "," + row("tight", "{\"openai\":\"%1$s/v1\"}", prices, "\"parallel_max\":1,\"fallbacks\":[\"fake\"]")
                + "," + row("newer", "{\"openai\":\"%1$s/v1\"}", prices, "\"serves\":[\"responses\"]")
                + "," + row("older", "{\"openai\":\"%1$s/v1\"}", prices, "\"serves\":[\"chat\"]")
                + "," + row("faint", "{\"openai\":\"%1$s/weak/v1\"}", prices, "\"fallbacks\":[\"anthropic\"]")
                + "],\"aliases\":[{\"name\":\"best\",\"models\":[\"unkeyed:x\",\"fake:m\"]}]}";
        try {
            return Files.writeString(folder.resolve("providers.json"), text.formatted(url));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String row(String name, String endpoints, String prices, String... members) {
        return "{\"name\":\"" + name + "\",\"endpoints\":" + endpoints
                + Stream.of(members).map(member -> "," + member).collect(Collectors.joining())
                + ",\"secret\":\"FAKE_KEY\",\"url_secret\":\"FAKE_URL\",\"usage_on_request\":true,\"prices\":" + prices
                + "}";
    }
}
