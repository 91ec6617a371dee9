package ai.molecule.system.routes;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.routing.Owner;
import ai.molecule.system.routes.FourServices.Mode;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * What one that was paused, and one that nobody admitted, may do with a live token of its own, over every route: what is written here and
 * nothing else, so that a route that is added later has to be decided upon.
 */
@Tag("full")
class HeldWorkspacesIT {

    /** Its agent lives, looks whether it may go on, and hands in what it was at. */
    private static final Set<String> PAUSED = Set.of(
            "GET /workspaces/:id/state",
            "POST /registry/register",
            "POST /registry/heartbeat",
            "POST /workspaces/:id/activity",
            "POST /workspaces/:id/delegations/:delegation_id/update");

    /** It keeps and reads what is its own. Nobody is asked, told, paid for or handed anything by it. */
    private static final Set<String> UNADMITTED = Set.of(
            "DELETE /workspaces/:id/memory/:key",
            "GET /registry/:id/peers", // none
            "GET /workspaces/:id",
            "GET /workspaces/:id/.well-known/agent-card.json",
            "GET /workspaces/:id/.well-known/agent.json",
            "GET /workspaces/:id/activity",
            "GET /workspaces/:id/approvals",
            "GET /workspaces/:id/audit",
            "GET /workspaces/:id/budget",
            "GET /workspaces/:id/channels",
            "GET /workspaces/:id/config",
            "GET /workspaces/:id/delegations",
            "GET /workspaces/:id/events/stream",
            "GET /workspaces/:id/files", // none
            "GET /workspaces/:id/hibernation",
            "GET /workspaces/:id/memories",
            "GET /workspaces/:id/memory",
            "GET /workspaces/:id/metrics",
            "GET /workspaces/:id/model",
            "GET /workspaces/:id/model-aliases",
            "GET /workspaces/:id/models",
            "GET /workspaces/:id/plugins",
            "GET /workspaces/:id/plugins/available",
            "GET /workspaces/:id/plugins/compatibility",
            "GET /workspaces/:id/preview", // its own
            "GET /workspaces/:id/schedules",
            "GET /workspaces/:id/secrets",
            "GET /workspaces/:id/secrets/values", // its own
            "GET /workspaces/:id/session-search",
            "GET /workspaces/:id/shared-context",
            "GET /workspaces/:id/state",
            "GET /workspaces/:id/tasks",
            "GET /workspaces/:id/tokens",
            "GET /workspaces/:id/traces",
            "GET /workspaces/:id/versions",
            "GET /workspaces/:id/versions/:n",
            "GET /ws", // of itself
            "PATCH /workspaces/:id",
            "PATCH /workspaces/:id/config",
            "POST /registry/heartbeat",
            "POST /registry/register",
            "POST /registry/update-card",
            "POST /workspaces/:id/activity",
            "POST /workspaces/:id/collapse",
            "POST /workspaces/:id/delegations/:delegation_id/update",
            "POST /workspaces/:id/mcp", // a tool may do what is written here
            "POST /workspaces/:id/memories",
            "POST /workspaces/:id/memory",
            "POST /workspaces/:id/pause",
            "POST /workspaces/:id/secrets",
            "POST /workspaces/:id/tokens",
            "PUT /workspaces/:id/model");

    private static final Policies POLICIES = Policies.read();

    @SuppressWarnings("NullAway.Init")
    private static FourServices services;

    @BeforeAll
    static void start() {
        services = FourServices.start(Mode.PRODUCTION, Map.of("MOLECULE_OPEN_REGISTRATION", "1"));
    }

    @AfterAll
    static void stop() {
        services.close();
    }

    @Test
    void a_paused_one_reads_its_state_says_that_it_lives_and_gives_its_results() {
        var target = services.newTarget();
        services.ask(200, Request.of("POST", "/workspaces/" + target.id() + "/pause"));

        var answered = new TreeSet<String>();
        for (var row : RouteRow.read()) {
            noteIfAnswered(row, target, answered);
        }

        assertThat(answered).isEqualTo(new TreeSet<>(PAUSED));
    }

    @Test
    void one_that_nobody_admitted_keeps_to_itself() {
        var answered = new TreeSet<String>();
        for (var row : RouteRow.read()) {
            noteIfAnswered(row, stranger(), answered);
        }

        assertThat(answered).isEqualTo(new TreeSet<>(UNADMITTED));
    }

    /** What a stranger gets too is not told of. */
    private static void noteIfAnswered(RouteRow row, Target target, Set<String> answered) {
        boolean open = row.expected(POLICIES, Mode.PRODUCTION, Credential.NONE) < 400;
        if (open || row.name().equals("GET /session")) {
            return;
        }
        var answer = Answer.to(services.port(Owner.PROXY), row.request(target).with(Credential.OWN.headers(target)));
        if (answer.status() > 0 && answer.status() < 400) {
            answered.add(row.name());
        }
    }

    private static Target stranger() {
        String id = UUID.randomUUID().toString();
        var registration = Request.of("POST", "/registry/register")
                .body("{\"id\":\"%s\",\"url\":\"remote://no-inbound\",\"agent_card\":{\"name\":\"x\"}}".formatted(id));
        var answer = Answer.to(services.port(Owner.PROXY), registration);
        assertThat(answer.status()).as(answer.body()).isEqualTo(200);
        String peer = services.ask(201, Request.of("POST", "/workspaces").body("{\"name\":\"Peer\",\"external\":true}"))
                .text("id");
        return new Target(id, peer, answer.text("auth_token"), "", "", "", "");
    }
}
