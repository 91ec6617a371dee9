package ai.molecule.proxy.models;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.config.Env;
import ai.molecule.common.models.PriceList;
import ai.molecule.common.models.PriceListKeys;
import ai.molecule.proxy.ProxyUnderTest;
import ai.molecule.proxy.models.pricelist.PriceListConfig;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.client.WebClient;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A price list that is signed takes the place of the one before; whatever is not, or is older, or wrong, changes nothing. */
@ExtendWith(VertxExtension.class)
class RenewingPriceListsTest {

    private static final String ROOT = "the-admin-token";
    private static final String ASKED = "{\"model\":\"fake:m\"}";
    private static final String PRICES = "/settings/prices";
    private static final LocalDate TODAY = LocalDate.now(ZoneOffset.UTC);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private Vertx vertx;

    @SuppressWarnings("NullAway.Init")
    private KeyPair publisher;

    @BeforeEach
    void publish(Vertx given) throws GeneralSecurityException {
        vertx = given;
        publisher = pair();
    }

    @Test
    void a_signed_list_counts_from_the_next_call_on_and_the_organizations_prices_go_before_it()
            throws IOException, GeneralSecurityException {
        var door = doorAt(write(list(TODAY, "fake:m", 3), publisher));
        await().until(() -> standing(door.proxy).getString("source").endsWith("prices.json"));

        assertThat(costOf(door)).isEqualTo(2_700);
        var standing = standing(door.proxy);
        assertThat(standing.getString("dated")).isEqualTo(TODAY.toString());
        assertThat(standing.getString("taken_at")).isNotNull();
        assertThat(standing.getJsonObject("renewal").getString("failure")).isNull();

        set(door, "{\"model\":\"fake:m\",\"in\":0,\"out\":1}");
        assertThat(costOf(door)).isEqualTo(900);
    }

    @Test
    void without_a_list_of_the_operators_the_one_that_comes_along_is_in_force() {
        var door = new DoorUnderTest(vertx, folder, limits -> limits, "ADMIN_TOKEN", ROOT);

        assertThat(standing(door.proxy))
                .isEqualTo(new JsonObject()
                        .put("dated", PriceList.shipped().dated().toString())
                        .put("source", "shipped")
                        .putNull("taken_at")
                        .putNull("renewal"));
    }

    @Test
    void a_model_that_waited_for_a_price_waits_no_more_when_a_list_has_it()
            throws IOException, GeneralSecurityException {
        var door = doorAt(write(list(TODAY, "fake:m", 3), publisher));
        await().until(() -> standing(door.proxy).getString("source").endsWith("prices.json"));
        door.ask(DoorUnderTest.CHAT, "{\"model\":\"fake:new\"}");
        await().until(() -> waiting(door).equals(List.of("fake:new")));

        write(list(TODAY, "fake:new", 3), publisher);
        door.proxy.replica();

        await().until(() -> waiting(door).isEmpty());
        assertThat(door.query("SELECT 1 FROM log.events WHERE $1::uuid IS NOT NULL AND event_type = 'MODEL_PRICE_SET'"))
                .hasSize(1);
    }

    @Test
    void a_list_that_is_older_altered_wrong_or_signed_by_somebody_else_leaves_the_one_in_force()
            throws IOException, GeneralSecurityException {
        var door = doorAt(write(list(TODAY, "fake:m", 3), publisher));
        await().until(() -> standing(door.proxy).getString("source").endsWith("prices.json"));

        write(list(TODAY.minusDays(1), "fake:m", 4), publisher);
        assertThat(failureAtAnother(door)).contains("is dated " + TODAY.minusDays(1), "before the list in force");
        write(list(TODAY.plusDays(3), "fake:m", 4), publisher);
        assertThat(failureAtAnother(door)).contains("a day to come");
        write(list(TODAY, "fake:m", 4), pair());
        assertThat(failureAtAnother(door)).contains("not signed by a key in MOLECULE_PRICE_LIST_KEY");
        Files.writeString(write(list(TODAY, "fake:m", 4), publisher), " ", StandardOpenOption.APPEND);
        assertThat(failureAtAnother(door)).contains("not signed");
        write("{\"dated\":\"" + TODAY + "\",\"prices\":[{\"model\":\"fake:m\",\"in\":-1,\"out\":1}]}", publisher);
        assertThat(failureAtAnother(door)).contains("a price that is none");
        write("{\"dated\":\"" + TODAY + "\",\"prices\":[]}" + " ".repeat(1 << 20), publisher);
        assertThat(failureAtAnother(door)).contains("longer than 1 MiB");
        Files.delete(folder.resolve("prices.json.sig"));
        write(list(TODAY, "fake:m", 4));
        assertThat(failureAtAnother(door)).contains("there is no file");

        assertThat(costOf(door)).isEqualTo(2_700);
        assertThat(standing(door.proxy).getString("dated")).isEqualTo(TODAY.toString());
    }

    @Test
    void a_list_that_was_taken_is_in_force_at_every_proxy_and_after_a_restart_while_its_key_counts()
            throws IOException, GeneralSecurityException {
        var door = doorAt(write(list(TODAY, "fake:m", 3), publisher));
        await().until(() -> standing(door.proxy).getString("source").endsWith("prices.json"));
        Files.delete(folder.resolve("prices.json"));

        var another = door.proxy.replica();
        await().until(() -> standing(another).getJsonObject("renewal").getString("failure") != null);

        assertThat(standing(another).getString("dated")).isEqualTo(TODAY.toString());
        door.query("UPDATE proxy.price_list SET signature = 'AAAA', version = version + 1 WHERE $1::uuid IS NOT NULL");
        var third = door.proxy.replica();
        assertThat(standing(third).getString("source")).isEqualTo("shipped");
    }

    @Test
    void a_url_is_asked_once_a_day_by_one_proxy() throws IOException, GeneralSecurityException {
        String list = list(TODAY, "fake:m", 3);
        String signature = sign(list, publisher);
        var asked = new CopyOnWriteArrayList<String>();
        var door = doorAtUrl(
                "/prices.json?key=secret",
                asked,
                (path, response) -> response.end(path.startsWith("/prices.json.sig") ? signature : list));
        await().until(() -> standing(door.proxy).getString("source").endsWith("/prices.json"));

        var another = door.proxy.replica();
        await().until(() -> costOf(another, door) == 2_700);

        assertThat(asked).containsExactly("/prices.json?key=secret", "/prices.json.sig?key=secret");
        assertThat(standing(another).encode()).doesNotContain("secret");
        await().until(() -> metrics(another).contains("molecule_reconciler_ok{name=\"model-price-list\"} 1.0"));
    }

    @ParameterizedTest
    @CsvSource({"its server answered 404, 404, 2", "its server answered 302, 302, 2", "longer than 1 MiB, 200, 1048577"
    })
    void what_answers_too_much_or_not_with_200_or_elsewhere_is_not_taken_and_shown(String why, int status, int bytes) {
        var door = doorAtUrl(
                "/prices.json",
                new CopyOnWriteArrayList<>(),
                (path, response) -> response.setStatusCode(status)
                        .putHeader("Location", "/elsewhere.json")
                        .end(Buffer.buffer(new byte[bytes])));

        await().until(() -> failure(door.proxy).contains(why));

        assertThat(standing(door.proxy).getString("source")).isEqualTo("shipped");
        await().until(() -> metrics(door.proxy).contains("molecule_reconciler_ok{name=\"model-price-list\"} 0.0"));
    }

    @Test
    void a_url_in_a_network_that_may_not_be_dialled_is_not_asked() {
        var asked = new CopyOnWriteArrayList<String>();
        var server = ProxyUnderTest.serve(vertx, request -> asked.add(request.uri()));

        var door = door(ProxyUnderTest.urlOf(server) + "/prices.json", "MOLECULE_ENV", "");

        await().until(() -> failure(door.proxy).contains("its address is not dialled"));
        assertThat(asked).isEmpty();
    }

    @Test
    void a_list_without_a_key_or_at_no_readable_place_keeps_the_proxy_from_starting() {
        String key = base64(publisher);

        for (String place : List.of("http://example.org/x", "ftp://example.org/x", "https://user:pass@example.org/x")) {
            assertThatThrownBy(() -> config("MOLECULE_PRICE_LIST", place, "MOLECULE_PRICE_LIST_KEY", key))
                    .hasMessageContaining("MOLECULE_PRICE_LIST must be the path of a file, or an https URL");
        }
        assertThatThrownBy(() -> config("MOLECULE_PRICE_LIST", "/etc/prices.json", "MOLECULE_PRICE_LIST_KEY", ""))
                .hasMessageContaining("MOLECULE_PRICE_LIST needs MOLECULE_PRICE_LIST_KEY");
        assertThatThrownBy(() -> config("MOLECULE_PRICE_LIST", "/etc/prices.json", "MOLECULE_PRICE_LIST_KEY", "k"))
                .hasMessageContaining("MOLECULE_PRICE_LIST_KEY needs Ed25519 public keys");
        assertThat(PriceListConfig.fromEnv(new Env(Map.of()))).isEmpty();
    }

    private static void config(String... env) {
        PriceListConfig.fromEnv(new Env(Map.of(env[0], env[1], env[2], env[3])));
    }

    private DoorUnderTest doorAt(Path list) {
        return door(list.toString());
    }

    /** What a server says at a path. */
    @FunctionalInterface
    private interface Site {
        void answer(String path, HttpServerResponse response);
    }

    private DoorUnderTest doorAtUrl(String path, List<String> asked, Site site) {
        var server = ProxyUnderTest.serve(vertx, request -> {
            asked.add(request.uri());
            site.answer(request.uri(), request.response());
        });
        return door(
                ProxyUnderTest.urlOf(server) + path, "MOLECULE_ENV", "development"); // where this machine is dialled
    }

    private DoorUnderTest door(String source, String... more) {
        var door = new DoorUnderTest(
                vertx,
                folder,
                limits -> limits,
                Stream.concat(
                                Stream.of(more),
                                Stream.of(
                                        "ADMIN_TOKEN",
                                        ROOT,
                                        "MOLECULE_PRICE_LIST",
                                        source,
                                        "MOLECULE_PRICE_LIST_KEY",
                                        base64(publisher)))
                        .toArray(String[]::new));
        door.provider.saysWhole("{\"usage\":{\"prompt_tokens\":0,\"completion_tokens\":900}}");
        return door;
    }

    /** A proxy looks at a file when it starts. */
    private String failureAtAnother(DoorUnderTest door) {
        door.query("UPDATE proxy.price_list SET failure = NULL WHERE $1::uuid IS NOT NULL");
        var another = door.proxy.replica();
        await().until(() -> !failure(another).isEmpty());
        String failure = failure(another);
        another.stopping().await();
        return failure;
    }

    private long costOf(DoorUnderTest door) {
        return costOf(door.proxy, door);
    }

    /** What 900 tokens of output cost there now. */
    private long costOf(ProxyUnderTest proxy, DoorUnderTest door) {
        int before = door.query("SELECT 1 FROM proxy.model_calls WHERE workspace_id = $1")
                .size();
        var answer = proxy.client
                .post(DoorUnderTest.CHAT)
                .putHeader("Authorization", "Bearer " + door.token)
                .sendBuffer(Buffer.buffer(ASKED))
                .await();
        assertThat(answer.statusCode()).isEqualTo(200);
        return door.rows(before + 1).getLast().getLong("cost_micros");
    }

    private static String failure(ProxyUnderTest proxy) {
        var failure = standing(proxy).getJsonObject("renewal").getString("failure");
        return failure == null ? "" : failure;
    }

    private static JsonObject standing(ProxyUnderTest proxy) {
        return get(proxy.client, PRICES).getJsonObject("list");
    }

    private static List<?> waiting(DoorUnderTest door) {
        return get(door.proxy.client, PRICES).getJsonArray("missing").getList();
    }

    private static JsonObject get(WebClient client, String path) {
        return client.get(path)
                .putHeader("Authorization", "Bearer " + ROOT)
                .send()
                .await()
                .bodyAsJsonObject();
    }

    private static String metrics(ProxyUnderTest proxy) {
        return proxy.client
                .get("/metrics")
                .putHeader("Authorization", "Bearer " + ROOT)
                .send()
                .await()
                .bodyAsString();
    }

    private static void set(DoorUnderTest door, String price) {
        var answer = door.proxy
                .client
                .request(HttpMethod.PUT, PRICES)
                .putHeader("Authorization", "Bearer " + ROOT)
                .sendBuffer(Buffer.buffer(price))
                .await();
        assertThat(answer.statusCode()).isEqualTo(200);
    }

    private static String list(LocalDate dated, String model, int out) {
        return "{\"dated\":\"%s\",\"prices\":[{\"model\":\"%s\",\"in\":0,\"out\":%d}]}".formatted(dated, model, out);
    }

    /** With its signature beside it. */
    private Path write(String list, KeyPair signer) throws IOException, GeneralSecurityException {
        Files.writeString(folder.resolve("prices.json.sig"), sign(list, signer) + "\n");
        return write(list);
    }

    private Path write(String list) throws IOException {
        return Files.writeString(folder.resolve("prices.json"), list);
    }

    private static KeyPair pair() throws GeneralSecurityException {
        return KeyPairGenerator.getInstance(PriceListKeys.ALGORITHM).generateKeyPair();
    }

    private static String base64(KeyPair pair) {
        return Base64.getEncoder().encodeToString(pair.getPublic().getEncoded());
    }

    private static String sign(String list, KeyPair signer) throws GeneralSecurityException {
        var signing = Signature.getInstance(PriceListKeys.ALGORITHM);
        signing.initSign(signer.getPrivate());
        signing.update(list.getBytes(UTF_8));
        return Base64.getEncoder().encodeToString(signing.sign());
    }
}
