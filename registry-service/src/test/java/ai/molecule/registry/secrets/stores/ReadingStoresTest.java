package ai.molecule.registry.secrets.stores;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.common.ApiError;
import ai.molecule.common.config.Env;
import ai.molecule.registry.secrets.stores.StoreFailure.Reason;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The stores outside: what each gives, and in which words it fails. Vault is played by a server that speaks its API. */
class ReadingStoresTest {

    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Vertx vertx = Vertx.vertx();
    private final Map<String, Consumer<HttpServerRequest>> answers = new ConcurrentHashMap<>();
    private final List<String> asked = new CopyOnWriteArrayList<>();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @SuppressWarnings("NullAway.Init")
    private HttpServer vault;

    @BeforeEach
    void start() {
        vault = vertx.createHttpServer()
                .requestHandler(request -> {
                    asked.add(request.uri() + " " + request.getHeader("X-Vault-Token") + " "
                            + request.getHeader("X-Vault-Namespace"));
                    answers.getOrDefault(
                                    request.path(),
                                    unknown -> unknown.response()
                                            .setStatusCode(404)
                                            .end("{\"errors\":[]}"))
                            .accept(request);
                })
                .listen(0, "127.0.0.1")
                .await();
    }

    @AfterEach
    void stop() {
        vertx.close().await();
    }

    @Test
    void a_field_of_vault_is_read_once_for_many_and_again_after_it_was_forgotten() {
        answer(
                "/v1/secret/data/team/writer",
                200,
                "{\"data\":{\"data\":{\"github\":\"hush\",\"n\":7},\"metadata\":{}}}");
        var stores = stores("VAULT_TOKEN", "s.token", "VAULT_NAMESPACE", "team");
        var reference = Reference.of("vault:secret/data/team/writer#github");

        assertThat(read(stores, reference)).isEqualTo("hush");
        assertThat(read(stores, reference)).isEqualTo("hush");
        assertThat(asked).containsExactly("/v1/secret/data/team/writer s.token team");

        stores.forget(reference);
        assertThat(read(stores, reference)).isEqualTo("hush");
        assertThat(asked).hasSize(2);
    }

    @Test
    void a_token_in_a_file_is_read_at_each_lookup() throws IOException {
        answer("/v1/kv/data/a", 200, "{\"data\":{\"data\":{\"b\":\"hush\"}}}");
        var file = Files.writeString(folder.resolve("token"), "first\n");
        var stores = stores("VAULT_TOKEN_FILE", file.toString());

        read(stores, "vault:kv/data/a#b");
        Files.writeString(file, "second\n");
        stores.forget(Reference.of("vault:kv/data/a#b"));
        read(stores, "vault:kv/data/a#b");

        assertThat(asked).containsExactly("/v1/kv/data/a first null", "/v1/kv/data/a second null");
        Files.writeString(file, "with\nlines");
        stores.forget(Reference.of("vault:kv/data/a#b"));
        assertThat(failure(stores, "vault:kv/data/a#b")).isEqualTo(Reason.DENIED);
    }

    @ParameterizedTest
    @CsvSource({
        "403, DENIED",
        "401, DENIED",
        "404, NOT_FOUND",
        "503, SEALED",
        "429, SEALED",
        "473, SEALED",
        "500, FAILED",
        "204, FAILED",
        "307, FAILED"
    })
    void another_answer_of_vault_is_one_of_a_few_reasons(int status, Reason reason) {
        answers.put(
                "/v1/kv/data/a",
                request -> request.response()
                        .setStatusCode(status)
                        .putHeader("Location", "/v1/kv/data/elsewhere")
                        .end(status == 204 ? "" : "{\"errors\":[\"hush\"]}"));
        answer("/v1/kv/data/elsewhere", 200, "{\"data\":{\"data\":{\"b\":\"hush\"}}}");

        assertThat(failure(stores("VAULT_TOKEN", "t"), "vault:kv/data/a#b")).isEqualTo(reason);
        assertThat(asked).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{\"data\":{\"data\":{\"other\":\"x\"}}}|NO_FIELD",
                "{\"data\":{\"data\":{\"b\":7}}}|NO_FIELD",
                "{\"data\":{\"data\":null}}|NO_FIELD",
                "[]|NO_FIELD",
                "{\"data\":{\"data\":{\"b\":\"\"}}}|NO_VALUE",
                "{\"data\":{\"data\":{\"b\":\"a\\u0000b\"}}}|NO_VALUE",
                "{\"data\"|FAILED"
            })
    void a_wrong_field_or_answer_gives_no_value(String body, Reason reason) {
        answer("/v1/kv/data/a", 200, body);

        assertThat(failure(stores("VAULT_TOKEN", "t"), "vault:kv/data/a#b")).isEqualTo(reason);
    }

    @Test
    void vault_is_neither_read_nor_waited_for_without_end() {
        answer("/v1/kv/data/long", 200, "{\"data\":{\"data\":{\"b\":\"" + "x".repeat(2 * 1024 * 1024) + "\"}}}");
        answer("/v1/kv/data/value", 200, "{\"data\":{\"data\":{\"b\":\"" + "x".repeat(65_537) + "\"}}}");
        answers.put("/v1/kv/data/silent", request -> {});
        var stores = stores("VAULT_TOKEN", "t");

        assertThat(failure(stores, "vault:kv/data/long#b")).isEqualTo(Reason.TOO_LARGE);
        assertThat(failure(stores, "vault:kv/data/value#b")).isEqualTo(Reason.TOO_LARGE);
        var hasty = new SecretStores(
                vertx, settings("VAULT_ADDR", address(), "VAULT_TOKEN", "t"), Duration.ofMillis(50), PATIENCE);
        assertThat(failure(hasty, "vault:kv/data/silent#b")).isEqualTo(Reason.TIMED_OUT);

        vault.close().await();
        assertThat(failure(stores, "vault:kv/data/gone#b")).isEqualTo(Reason.UNREACHABLE);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "vault:kv/data/a",
                "vault:kv/data/a#",
                "vault:data/a#b",
                "vault:kv/metadata/a#b",
                "vault:../sys/data/a#b",
                "vault:kv/data/../../sys#b",
                "vault:kv/data/a/.#b",
                "vault:kv/data/a?x=1#b",
                "vault:kv/data/a%2e#b",
                "vault:kv//data/a#b",
                "vault:@evil/data/a#b",
                "file:etc/passwd",
                "file:/etc/passwd",
                "exec:sh",
                "exec:/bin/sh",
                "exec:"
            })
    void a_reference_leads_nowhere_but_to_what_was_opened(String text) {
        var stores = new SecretStores(
                vertx,
                settings(
                        "VAULT_ADDR",
                        address(),
                        "VAULT_TOKEN",
                        "t",
                        "MOLECULE_SECRET_FOLDERS",
                        folder.toString(),
                        "MOLECULE_SECRET_PROGRAMS",
                        "known=/bin/echo"));

        assertThatThrownBy(() -> stores.check(Reference.of(text))).isInstanceOf(ApiError.class);
        assertThat(failure(stores, text)).isEqualTo(Reason.NOT_ALLOWED);
        assertThat(asked).isEmpty();
    }

    @Test
    void every_store_is_off_until_it_is_configured() {
        var stores = new SecretStores(vertx, settings());

        for (String text : List.of("vault:kv/data/a#b", "file:/etc/passwd", "exec:known")) {
            assertThatThrownBy(() -> stores.check(Reference.of(text)))
                    .hasMessageContaining("is not configured on this platform");
            assertThat(failure(stores, text)).isEqualTo(Reason.NOT_CONFIGURED);
        }
    }

    @Test
    void a_file_is_read_below_an_allowed_folder_and_links_lead_out_of_none() throws IOException {
        var allowed = Files.createDirectories(folder.resolve("allowed"));
        var outside = Files.writeString(folder.resolve("outside"), "hush");
        Files.writeString(Files.createDirectories(allowed.resolve("..data")).resolve("mounted"), "hush\n");
        Files.createSymbolicLink(allowed.resolve("inside"), Path.of("..data/mounted"));
        Files.createSymbolicLink(allowed.resolve("out"), outside);
        Files.createSymbolicLink(allowed.resolve("up"), folder);
        Files.writeString(allowed.resolve("large"), "x".repeat(65_538));
        Files.write(allowed.resolve("binary"), new byte[] {(byte) 0xff, 1});
        Files.writeString(allowed.resolve("empty"), "\n");
        var stores = new SecretStores(vertx, settings("MOLECULE_SECRET_FOLDERS", allowed.toString()));

        assertThat(read(stores, "file:" + allowed.resolve("inside"))).isEqualTo("hush");
        assertThat(failure(stores, "file:" + allowed.resolve("out"))).isEqualTo(Reason.NOT_ALLOWED);
        assertThat(failure(stores, "file:" + allowed.resolve("up/outside"))).isEqualTo(Reason.NOT_ALLOWED);
        assertThat(failure(stores, "file:" + allowed.resolve("../outside"))).isEqualTo(Reason.NOT_ALLOWED);
        assertThat(failure(stores, "file:" + allowed)).isEqualTo(Reason.NOT_ALLOWED);
        assertThat(failure(stores, "file:" + folder.resolve("allowed-not"))).isEqualTo(Reason.NOT_ALLOWED);
        assertThat(failure(stores, "file:" + allowed.resolve("..data"))).isEqualTo(Reason.NOT_ALLOWED);
        assertThat(failure(stores, "file:" + allowed.resolve("absent"))).isEqualTo(Reason.NOT_FOUND);
        assertThat(failure(stores, "file:" + allowed.resolve("large"))).isEqualTo(Reason.TOO_LARGE);
        assertThat(failure(stores, "file:" + allowed.resolve("binary"))).isEqualTo(Reason.NO_VALUE);
        assertThat(failure(stores, "file:" + allowed.resolve("empty"))).isEqualTo(Reason.NO_VALUE);
    }

    @Test
    void a_program_gets_no_arguments_and_none_of_the_registrys_variables() throws IOException {
        var stores = programs(PATIENCE, "#!/bin/sh\nenv | cut -d= -f1 | sort | tr '\\n' ' '\necho \"$# $(cat)\"");

        assertThat(read(stores, "exec:known").split(" "))
                .contains("PATH", "0")
                .isSubsetOf("PATH", "HOME", "LANG", "TZ", "TMPDIR", "PWD", "OLDPWD", "SHLVL", "_", "0");
    }

    @Test
    void a_program_that_fails_prints_too_much_or_does_not_end_gives_no_value() throws IOException {
        assertThat(failure(programs(PATIENCE, "#!/bin/sh\necho hush\nexit 3"), "exec:known"))
                .isEqualTo(Reason.FAILED);
        assertThat(failure(programs(PATIENCE, "#!/bin/sh\nyes hush"), "exec:known"))
                .isEqualTo(Reason.TOO_LARGE);
        assertThat(failure(programs(Duration.ofMillis(100), "#!/bin/sh\nexec sleep 600"), "exec:known"))
                .isEqualTo(Reason.TIMED_OUT);
        assertThat(failure(programs(Duration.ofMillis(100), "#!/bin/sh\nexec >&-\nexec sleep 600"), "exec:known"))
                .isEqualTo(Reason.TIMED_OUT);
        var none =
                new SecretStores(vertx, settings("MOLECULE_SECRET_PROGRAMS", "known=" + folder.resolve("no-program")));
        assertThat(failure(none, "exec:known")).isEqualTo(Reason.UNREACHABLE);
    }

    @ParameterizedTest
    @CsvSource({
        "VAULT_ADDR, https://vault.example.com",
        "VAULT_ADDR, ftp://vault.example.com",
        "MOLECULE_SECRET_FOLDERS, relative",
        "MOLECULE_SECRET_FOLDERS, /",
        "MOLECULE_SECRET_PROGRAMS, known",
        "MOLECULE_SECRET_PROGRAMS, known=relative",
        "MOLECULE_SECRET_PROGRAMS, Known=/bin/echo"
    })
    void a_setting_that_opens_nothing_sensible_is_refused(String variable, String value) {
        assertThatThrownBy(() -> settings(variable, value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(variable);
    }

    private SecretStores programs(Duration patience, String script) throws IOException {
        var file = Files.createTempFile(folder, "program", ".sh");
        Files.writeString(file, script + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwx------"));
        return new SecretStores(vertx, settings("MOLECULE_SECRET_PROGRAMS", "known=" + file), PATIENCE, patience);
    }

    private SecretStores stores(String... variables) {
        var all = new HashMap<>(of(variables));
        all.put("VAULT_ADDR", address());
        return new SecretStores(vertx, StoreSettings.fromEnv(new Env(all)), PATIENCE, PATIENCE);
    }

    private static StoreSettings settings(String... variables) {
        return StoreSettings.fromEnv(new Env(of(variables)));
    }

    private static Map<String, String> of(String... variables) {
        Map<String, String> all = new HashMap<>();
        for (int i = 0; i < variables.length; i += 2) {
            all.put(variables[i], variables[i + 1]);
        }
        return all;
    }

    private String address() {
        return "http://127.0.0.1:" + vault.actualPort();
    }

    private void answer(String path, int status, String body) {
        answers.put(path, request -> request.response().setStatusCode(status).end(body));
    }

    private String read(SecretStores stores, String reference) {
        return read(stores, Reference.of(reference));
    }

    private String read(SecretStores stores, Reference reference) {
        return asked(stores, reference).await();
    }

    /** On one event loop, as the registry does. */
    private Future<String> asked(SecretStores stores, Reference reference) {
        var context = vertx.getOrCreateContext();
        return Future.future(
                promise -> context.runOnContext(run -> stores.read(reference).onComplete(promise)));
    }

    private Reason failure(SecretStores stores, String reference) {
        var failure = asked(stores, Reference.of(reference))
                .map(value -> (Throwable) new AssertionError("a value"))
                .otherwise(failed -> failed)
                .await();
        assertThat(failure).isInstanceOf(StoreFailure.class);
        assertThat(String.valueOf(failure.getMessage())).doesNotContain("hush");
        return ((StoreFailure) failure).reason();
    }
}
