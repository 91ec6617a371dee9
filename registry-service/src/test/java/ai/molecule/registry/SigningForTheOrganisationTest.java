package ai.molecule.registry;

import static ai.molecule.registry.RunningRegistry.ADMIN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.ApiError;
import ai.molecule.common.bus.registry.IssuePairToken;
import ai.molecule.common.bus.registry.SignAuditHead;
import ai.molecule.common.bus.registry.SignNotification;
import ai.molecule.common.json.Json;
import ai.molecule.common.testing.TestStores;
import com.fasterxml.jackson.databind.JsonNode;
import io.vertx.core.http.HttpMethod;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.Signature;
import java.security.spec.X509EncodedKeySpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code /.well-known/jwks.json}, what is signed with its keys, and how they are changed; checked with the JDK's own cryptography. */
class SigningForTheOrganisationTest {

    private static final String JWKS = "/.well-known/jwks.json";

    /** Only ever moves on; a test that changes keys first waits for those before to be over. */
    private static final MovableClock CLOCK = new MovableClock();

    @SuppressWarnings("NullAway.Init")
    private static RunningRegistry registry;

    @BeforeAll
    static void start() {
        registry = RunningRegistry.startInProduction(CLOCK, "MOLECULE_OPEN_PEERS", "1");
    }

    @AfterAll
    static void stop() {
        registry.close();
    }

    @Test
    void the_public_key_is_anybodys_and_the_private_one_is_sealed() {
        var answer = registry.response(HttpMethod.GET, JWKS);

        var key = registry.get(JWKS, null).json().path("keys").path(0);
        assertThat(key.path("kty").asText()
                        + key.path("crv").asText()
                        + key.path("alg").asText())
                .isEqualTo("OKPEd25519EdDSA");
        assertThat(key.has("d")).isFalse();
        assertThat(answer.getHeader("Cache-Control")).isEqualTo("public, max-age=60");
        assertThat(registry.send(HttpMethod.GET, JWKS, null, null, "If-None-Match", answer.getHeader("ETag"))
                        .status())
                .isEqualTo(304);
        assertThat(registry.count("organisation_keys WHERE encryption_version = 2 AND key_id IS NOT NULL"))
                .isPositive();
        assertThat(registry.count("organisation_keys WHERE encrypted_value IS NOT NULL AND encryption_version <> 2"))
                .isZero();
        assertThat(registry.count("log.audit WHERE verb = 'organisation_key.created'"))
                .isPositive();
    }

    @Test
    void who_discovers_a_peer_gets_a_token_for_it_that_is_signed_once_in_half_a_minute() {
        var pair = pair();

        var found = discover(pair);

        var claims = verified(found.path("token").asText(), "molecule-pair+jwt");
        assertThat(claims.path("sub").asText()).isEqualTo(pair.caller);
        assertThat(claims.path("aud").asText()).isEqualTo(pair.target);
        assertThat(claims.path("exp").asLong() - claims.path("iat").asLong()).isEqualTo(60);
        assertThat(claims.has("act")).isFalse();
        assertThat(UUID.fromString(claims.path("jti").asText())).isNotNull();
        CLOCK.advance(Duration.ofSeconds(25));
        assertThat(discover(pair).path("token")).isEqualTo(found.path("token"));
        CLOCK.advance(Duration.ofSeconds(10));
        assertThat(discover(pair).path("token")).isNotEqualTo(found.path("token"));
    }

    @Test
    void what_the_platform_carries_says_for_whom_and_that_it_is_the_platform() {
        var pair = pair();

        var carried = verified(issued(pair.target, pair.caller), "molecule-pair+jwt");
        var own = registry.bus
                .call(IssuePairToken.CONTRACT, new IssuePairToken(UUID.fromString(pair.target), null))
                .await();

        assertThat(carried.path("sub").asText()).isEqualTo(pair.caller);
        assertThat(carried.path("act").path("sub").asText()).isEqualTo("platform");
        assertThat(verified(own.token(), "molecule-pair+jwt").path("sub").asText())
                .isEqualTo("platform");
        assertThat(own).hasToString("Issued[]");
    }

    @Test
    void who_may_not_talk_gets_none() {
        var pair = pair();
        String stranger = registry.create("Stranger");

        assertThatThrownBy(() -> issued(registry.child("Of the stranger", stranger), pair.caller))
                .isInstanceOfSatisfying(
                        ApiError.class, error -> assertThat(error.kind()).isEqualTo(ApiError.Kind.FORBIDDEN));
        assertThatThrownBy(() -> issued(UUID.randomUUID().toString(), pair.caller))
                .isInstanceOf(ApiError.class);
        assertThat(registry.send(
                                HttpMethod.GET,
                                "/registry/discover/" + registry.child("Hidden", stranger),
                                null,
                                pair.callerToken,
                                "X-Workspace-ID",
                                pair.caller)
                        .status())
                .isEqualTo(403);
    }

    @Test
    void after_a_move_a_pause_a_restart_or_a_revocation_the_target_hears_that_its_tokens_are_old() {
        List<Change> changes = List.of(
                pair -> registry.patch("/workspaces/" + pair.caller, "{\"parent_id\":null}", ADMIN),
                pair -> registry.sql(
                        "UPDATE workspaces SET desired = 'paused' WHERE id = $1", UUID.fromString(pair.caller)),
                pair -> registry.sql(
                        "UPDATE workspaces SET incarnation = incarnation + 1 WHERE id = $1",
                        UUID.fromString(pair.caller)),
                pair -> registry.post("/workspaces/" + pair.caller + "/quarantine", "", ADMIN),
                pair -> registry.delete(
                        "/workspaces/%s/tokens/%s"
                                .formatted(
                                        pair.caller,
                                        registry.get("/workspaces/" + pair.caller + "/tokens", ADMIN)
                                                .json()
                                                .at("/tokens/0/id")
                                                .asText()),
                        ADMIN),
                pair -> registry.patch("/workspaces/" + pair.target, "{\"parent_id\":null}", ADMIN));
        for (var change : changes) {
            var pair = pair();
            long version = verified(discover(pair).path("token").asText(), "molecule-pair+jwt")
                    .path("ver")
                    .asLong();
            assertThat(heard(pair).path("branch_version").asLong()).isEqualTo(version);

            change.of(pair);

            assertThat(heard(pair).path("branch_version").asLong()).isGreaterThan(version);
        }
    }

    @Test
    void a_change_that_was_numbered_early_and_committed_late_is_heard_with_the_next_heartbeat() {
        var pair = pair();
        var slow = registry.pool.getConnection().await();
        var transaction = slow.begin().await();
        long early = slow.preparedQuery("INSERT INTO branch_changes (branch) VALUES ($1) RETURNING id")
                .execute(Tuple.of(UUID.fromString(pair.target)))
                .await()
                .iterator()
                .next()
                .getLong(0);
        registry.post("/workspaces/" + pair().caller + "/quarantine", "", ADMIN);
        assertThat(heard(pair).path("branch_version").asLong()).isLessThan(early);

        transaction.commit().await();

        assertThat(heard(pair).path("branch_version").asLong()).isEqualTo(early);
        slow.close().await();
    }

    @Test
    void of_more_changes_at_once_than_are_heard_one_by_one_each_is_heard() {
        var pair = pair();
        heard(pair);

        registry.sql("INSERT INTO branch_changes (branch) SELECT gen_random_uuid() FROM generate_series(1, 300)");
        registry.sql("INSERT INTO branch_changes (branch) VALUES ($1)", UUID.fromString(pair.target));

        assertThat(heard(pair).path("branch_version").asLong()).isEqualTo(newest(pair.target));
    }

    @Test
    void of_a_branchs_changes_the_newest_is_kept_and_of_a_branch_that_is_gone_none() {
        var pair = pair();
        registry.post("/workspaces/" + pair.caller + "/quarantine", "", ADMIN);
        registry.sql(
                "UPDATE branch_changes SET changed_in = 9000000000000000 WHERE branch = $1",
                UUID.fromString(pair.target));
        long newest = newest(pair.target);

        registry.delete("/workspaces/" + pair.caller + "?confirm=true&purge=true", ADMIN);

        assertThat(registry.count("branch_changes WHERE branch = '" + pair.caller + "'"))
                .isZero();
        await().untilAsserted(() -> {
            assertThat(registry.count("(SELECT FROM branch_changes GROUP BY branch HAVING count(*) > 1) AS many"))
                    .isZero();
            assertThat(registry.count("branch_changes WHERE changed_in > 1000000000000000"))
                    .isZero();
        });
        assertThat(newest(pair.target)).isEqualTo(newest);
    }

    private static long newest(String branch) {
        return registry.sql(
                        "SELECT coalesce(max(id), 0) FROM branch_changes WHERE branch = $1", UUID.fromString(branch))
                .iterator()
                .next()
                .getLong(0);
    }

    @Test
    void what_happens_elsewhere_makes_no_token_old() {
        var pair = pair();
        var elsewhere = pair();
        var before = discover(pair).path("token");

        registry.post("/workspaces/" + elsewhere.caller + "/quarantine", "", ADMIN);
        registry.patch("/workspaces/" + pair.target, "{\"role\":\"Another\"}", ADMIN);

        assertThat(discover(pair).path("token")).isEqualTo(before);
    }

    @Test
    void a_heartbeats_answer_tells_the_time_and_when_there_are_other_keys() {
        var pair = pair();
        var before = heard(pair);
        assertThat(before.path("time").asLong()).isEqualTo(CLOCK.instant().toEpochMilli());

        registry.post("/admin/keys/rotate?at_once=1", "", ADMIN);

        assertThat(heard(pair).path("keys_version")).isNotEqualTo(before.path("keys_version"));
    }

    @Test
    void another_key_is_published_before_it_signs_and_the_one_before_is_believed_for_a_while() {
        CLOCK.advance(Duration.ofMinutes(10));
        var pair = pair();
        String first = kid(discover(pair).path("token").asText());

        var rotated = registry.post("/admin/keys/rotate", "", ADMIN);

        String second = rotated.text("kid");
        assertThat(Instant.parse(rotated.text("signs_from")))
                .isEqualTo(CLOCK.instant().plus(Duration.ofMinutes(2)));
        assertThat(published("keys")).containsExactlyInAnyOrder(first, second);
        assertThat(kid(issued(pair.target, pair.caller))).isEqualTo(first);
        assertThat(registry.post("/admin/keys/rotate", "", ADMIN).status()).isEqualTo(409);
        CLOCK.advance(Duration.ofMinutes(2));
        assertThat(kid(issued(pair.target, pair.caller))).isEqualTo(second);
        assertThat(published("keys")).containsExactlyInAnyOrder(first, second);
        CLOCK.advance(Duration.ofMinutes(2));
        assertThat(published("keys")).containsExactly(second);
        assertThat(published("retired")).contains(first);
        await().untilAsserted(() -> assertThat(
                        registry.count("organisation_keys WHERE encrypted_value IS NULL AND kid = '" + first + "'"))
                .isEqualTo(1));
    }

    @Test
    void a_key_that_somebody_else_may_have_is_believed_no_more_at_once() {
        CLOCK.advance(Duration.ofMinutes(10));
        var pair = pair();
        String first = kid(issued(pair.target, pair.caller));

        String second = registry.post("/admin/keys/rotate?at_once=1", "", ADMIN).text("kid");

        assertThat(published("keys")).containsExactly(second);
        assertThat(published("retired")).contains(first);
        assertThat(kid(issued(pair.target, pair.caller))).isEqualTo(second);
        assertThat(registry.post("/admin/keys/rotate?at_once=yes", "", ADMIN).status())
                .isEqualTo(400);
        assertThat(registry.post("/admin/keys/rotate", "", pair.callerToken).status())
                .isEqualTo(401);
    }

    @Test
    void an_end_of_the_audit_chain_is_signed_as_that_and_nothing_else() {
        var signed = registry.bus
                .call(SignAuditHead.CONTRACT, new SignAuditHead(7, "ab".repeat(32), CLOCK.instant()))
                .await();

        var claims = verified(signed.jws(), "molecule-audit-head+jwt");
        assertThat(claims.path("seq").asLong()).isEqualTo(7);
        assertThat(claims.path("hash").asText()).isEqualTo("ab".repeat(32));
    }

    @Test
    void a_push_notification_is_signed_as_that_for_one_receiver_and_one_body() {
        var workspace = UUID.randomUUID();
        var signed = registry.bus
                .call(
                        SignNotification.CONTRACT,
                        new SignNotification(workspace, "https://receiver.example", "ab".repeat(32)))
                .await();

        var claims = verified(signed.token(), "molecule-push+jwt");
        assertThat(claims.path("sub").asText()).isEqualTo(workspace.toString());
        assertThat(claims.path("aud").asText()).isEqualTo("https://receiver.example");
        assertThat(claims.path("request_body_sha256").asText()).isEqualTo("ab".repeat(32));
        assertThat(claims.path("exp").asLong() - claims.path("iat").asLong()).isEqualTo(300);
    }

    @Test
    void two_replicas_have_one_key_and_one_that_cannot_open_it_makes_another() {
        String database = TestStores.freshDatabase();
        String sealing = "a raw key of exactly 32 bytes !!";
        try (var one = RunningRegistry.start("DATABASE_URL", database, "SECRETS_ENCRYPTION_KEY", sealing);
                var two = RunningRegistry.start("DATABASE_URL", database, "SECRETS_ENCRYPTION_KEY", sealing)) {
            assertThat(one.get(JWKS, null)).isEqualTo(two.get(JWKS, null));
            assertThat(one.count("organisation_keys")).isEqualTo(1);
        }
        try (var lost = RunningRegistry.start(
                "DATABASE_URL", database, "SECRETS_ENCRYPTION_KEY", "another key of exactly 32 bytes!")) {
            assertThat(lost.get(JWKS, null).json().path("keys")).hasSize(2);
        } finally {
            TestStores.drop(database);
        }
    }

    private interface Change {
        Object of(Pair pair);
    }

    private record Pair(String caller, String callerToken, String target, String targetToken) {}

    private static Pair pair() {
        String lead = registry.create("Lead");
        String caller = registry.child("Caller", lead);
        String target = registry.child("Target", lead);
        var pair = new Pair(caller, registry.mint(caller), target, registry.mint(target));
        registry.register(target, "http://localhost:8002", "{\"name\":\"t\"}", pair.targetToken);
        registry.register(caller, "http://localhost:8001", "{\"name\":\"c\"}", pair.callerToken);
        return pair;
    }

    private static JsonNode discover(Pair pair) {
        var answer = registry.send(
                HttpMethod.GET,
                "/registry/discover/" + pair.target,
                null,
                pair.callerToken,
                "X-Workspace-ID",
                pair.caller);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        return answer.json();
    }

    private static JsonNode heard(Pair pair) {
        var answer = registry.beat(pair.target, "", pair.targetToken);
        assertThat(answer.status()).isEqualTo(200);
        return answer.json();
    }

    private static String issued(String target, String caller) {
        return registry.bus
                .call(IssuePairToken.CONTRACT, new IssuePairToken(UUID.fromString(target), UUID.fromString(caller)))
                .await()
                .token();
    }

    private static List<String> published(String member) {
        return registry.get(JWKS, null).json().path(member).findValuesAsText("kid");
    }

    private static String kid(String token) {
        return part(token, 0).path("kid").asText();
    }

    /** The claims of what the published key signed under this type. */
    private static JsonNode verified(String token, String type) {
        var header = part(token, 0);
        assertThat(header.path("alg").asText()).isEqualTo("EdDSA");
        assertThat(header.path("typ").asText()).isEqualTo(type);
        var keys = registry.get(JWKS, null).json().path("keys");
        String x = Stream.iterate(0, i -> i < keys.size(), i -> i + 1)
                .map(keys::path)
                .filter(key -> key.path("kid").equals(header.path("kid")))
                .findFirst()
                .orElseThrow()
                .path("x")
                .asText();
        try {
            byte[] encoded = HexFormat.of()
                    .parseHex("302a300506032b6570032100"
                            + HexFormat.of().formatHex(Base64.getUrlDecoder().decode(x)));
            var verifier = Signature.getInstance("Ed25519");
            verifier.initVerify(KeyFactory.getInstance("Ed25519").generatePublic(new X509EncodedKeySpec(encoded)));
            verifier.update(token.substring(0, token.lastIndexOf('.')).getBytes(StandardCharsets.US_ASCII));
            assertThat(verifier.verify(Base64.getUrlDecoder().decode(token.substring(token.lastIndexOf('.') + 1))))
                    .isTrue();
        } catch (GeneralSecurityException noKey) {
            throw new AssertionError(noKey);
        }
        return part(token, 1);
    }

    private static JsonNode part(String token, int n) {
        return Json.stored(new String(Base64.getUrlDecoder().decode(token.split("\\.")[n]), StandardCharsets.UTF_8));
    }
}
