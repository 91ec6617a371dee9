package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.routing.Owner;
import ai.molecule.common.routing.RoutingTable;
import ai.molecule.system.routes.FourServices.Mode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Credentials, routes and ids put together at random against a production platform, for as long as {@code molecule.fuzz.seconds}
 * says (10 by default; {@code .ci/long} gives it ten minutes). Whatever is asked by somebody who has no business with the victim:
 * its secrets, memories and words come back to nobody, nothing that any service keeps of it changes, and nothing is a 500.
 * {@code molecule.fuzz.seed} repeats a run.
 */
class CredentialFuzz {

    private static final Duration LENGTH = Duration.ofSeconds(Long.getLong("molecule.fuzz.seconds", 10));
    private static final long SEED = Long.getLong("molecule.fuzz.seed", System.nanoTime());
    private static final int LOOK_EVERY = 250;
    private static final int FINDINGS_MAX = 20;

    private static final List<Credential> STRANGERS =
            List.of(Credential.NONE, Credential.EMPTY, Credential.GARBAGE, Credential.REVOKED, Credential.OTHER);
    private static final List<String> MEMBERS =
            List.of("workspace_id", "id", "source_id", "target_id", "parent_id", "caller_id", "callee_id", "peer_id");

    private final Random random = new Random(SEED);
    private final List<RouteRow> rows = RouteRow.read();
    private final Policies policies = Policies.read();

    @Test
    void nobody_reaches_what_is_anothers() {
        try (var services = FourServices.start(Mode.PRODUCTION)) {
            var attacker = services.newTarget();
            var victim = services.newVictim();
            String before = services.rowsOf(victim.id());
            var findings = new ArrayList<String>();

            long end = System.nanoTime() + LENGTH.toNanos();
            int asked = 0;
            while (System.nanoTime() < end && findings.size() < FINDINGS_MAX) {
                var row = rows.get(random.nextInt(rows.size()));
                var credential = STRANGERS.get(random.nextInt(STRANGERS.size()));
                var request = spoiled(row, credential, attacker, victim);
                var answer = Answer.to(services.port(doorOf(row)), request);
                wrong(row, credential, answer, victim).ifPresent(what -> findings.add(what + ": " + request));
                if (++asked % LOOK_EVERY == 0) {
                    String now = services.rowsOf(victim.id());
                    if (!now.equals(before)) {
                        findings.add("one of the last %d changed%n%s%nto%n%s".formatted(LOOK_EVERY, before, now));
                        before = now;
                    }
                }
            }

            assertThat(findings)
                    .as("with molecule.fuzz.seed=%d, after %d requests", SEED, asked)
                    .isEmpty();
            assertThat(services.rowsOf(victim.id())).isEqualTo(before);
            assertThat(asked).as("requests sent").isPositive();
        }
    }

    private Optional<String> wrong(RouteRow row, Credential credential, Answer answer, Victim victim) {
        if (answer.status() == 500) {
            return Optional.of("500 " + answer.body());
        }
        if (answer.body().contains(victim.mark())) {
            return Optional.of("tells what is the victim's");
        }
        boolean stranger = credential != Credential.OTHER;
        boolean open = row.expected(policies, Mode.PRODUCTION, Credential.NONE) < 400;
        return stranger && !open && answer.status() >= 200 && answer.status() < 300
                ? Optional.of("%d for %s".formatted(answer.status(), credential.column))
                : Optional.empty();
    }

    /** The row's own request with the victim in most of its places, and names in headers that nobody asked for. */
    private Request spoiled(RouteRow row, Credential credential, Target attacker, Victim victim) {
        var mixed = new Target(
                oneOf(
                        victim.id(),
                        victim.id(),
                        victim.id(),
                        attacker.id(),
                        UUID.randomUUID().toString()),
                oneOf(victim.id(), attacker.id()),
                attacker.ownToken(),
                attacker.revokedToken(),
                attacker.ownToken(),
                "",
                attacker.session());
        var request = row.request(mixed).with(credential.headers(mixed));
        for (String header : List.of("X-Workspace-ID", "X-Source-Workspace-Id", "X-Molecule-Agents-Entrance")) {
            if (random.nextInt(4) == 0) {
                request = request.with(header + ": " + oneOf(victim.id(), attacker.id(), "1"));
            }
        }
        if (random.nextInt(4) == 0) {
            request = request.with(
                    "Origin: " + oneOf("http://localhost:3000", "http://127.0.0.1", "http://evil.example"));
        }
        if (request.text().startsWith("{") && random.nextInt(3) == 0) {
            String member = MEMBERS.get(random.nextInt(MEMBERS.size()));
            String rest = request.text().substring(1);
            request = request.body(
                    "{\"%s\":\"%s\"%s%s".formatted(member, victim.id(), rest.equals("}") ? "" : ",", rest));
        }
        return request;
    }

    private Owner doorOf(RouteRow row) {
        boolean passedOn = RoutingTable.ownerOf(row.path).equals(Optional.of(row.owner));
        return passedOn && random.nextBoolean() ? Owner.PROXY : row.owner;
    }

    private String oneOf(String... values) {
        return values[random.nextInt(values.length)];
    }
}
