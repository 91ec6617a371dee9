package ai.molecule.cli.doors;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Invitations, admission, quarantine, rules and new keys, against a platform that answers what it is told to. */
class LettingInTest {

    private static final String AGENTS =
            "[{\"id\":\"i-1\",\"name\":\"Lead\"},{\"id\":\"i-2\",\"name\":\"Twin\"},{\"id\":\"i-3\",\"name\":\"Twin\"}]";

    private final Screen screen = new Screen();
    private final List<String> asked = new ArrayList<>();
    private int status = 200;
    private String answer = "{}";
    private HttpServer platform;

    @BeforeEach
    void startPlatform() throws IOException {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/", exchange -> {
            String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
            String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            boolean lists = line.equals("GET /workspaces");
            if (!lists) {
                asked.add((line + " " + body).strip());
            }
            byte[] bytes = (lists ? AGENTS : answer).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(lists ? 200 : status, bytes.length == 0 ? -1 : bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        platform.start();
    }

    @AfterEach
    void stopPlatform() {
        platform.stop(0);
    }

    @Test
    void an_invitation_prints_its_id_alone_and_says_what_to_do_with_it() {
        status = 201;
        answer =
                "{\"id\":\"new-1\",\"name\":\"Scout\",\"parent_id\":\"i-1\",\"tier\":2,\"expires_at\":\"2026-01-02T00:00:00Z\"}";

        assertThat(run("invite", "--parent", "Lead", "--name", "Scout", "--tier", "2", "--expires", "90m"))
                .isZero();

        assertThat(asked)
                .containsExactly(
                        "POST /invitations {\"expires_in_seconds\":5400,\"name\":\"Scout\",\"tier\":2,\"parent_id\":\"i-1\"}");
        assertThat(screen.out()).isEqualTo("new-1\n");
        assertThat(screen.err()).contains("WORKSPACE_ID=new-1", "until 2026-01-02T00:00:00Z", "molecule connect");
    }

    @Test
    void an_invitation_of_a_root_lasts_a_day() {
        answer = "{\"id\":\"new-1\"}";

        assertThat(run("invite")).isZero();

        assertThat(asked).containsExactly("POST /invitations {\"expires_in_seconds\":86400}");
    }

    @Test
    void a_refusal_is_a_sentence_and_nothing_goes_to_standard_output() {
        answer = "{\"error\":\"administrators only\"}";
        status = 401;
        assertThat(run("invite")).isEqualTo(2);
        status = 403;
        assertThat(run("invite")).isEqualTo(2);
        assertThat(run("admit", "Twin")).isEqualTo(2);
        assertThat(run("admit", "Nobody")).isEqualTo(2);
        assertThat(run("invite", "--expires", "soon")).isEqualTo(2);
        assertThat(run("quarantine", "Lead", "--branch", "--release")).isEqualTo(2);
        status = 503;
        assertThat(run("keys", "rotate")).isEqualTo(1);

        assertThat(screen.err())
                .contains(
                        "It was not invited: administrators only (401). ADMIN_TOKEN must be the platform's.\n",
                        "It was not invited: administrators only (403).\n",
                        "Several agents are called Twin, name one by its id: i-2, i-3.",
                        "There is no agent Nobody",
                        "--expires soon is no span of time",
                        "--branch goes with a quarantine",
                        "The keys stay as they are: administrators only (503).");
        assertThat(screen.out()).isEmpty();
        assertThat(asked)
                .containsExactly(
                        "POST /invitations {\"expires_in_seconds\":86400}",
                        "POST /invitations {\"expires_in_seconds\":86400}",
                        "POST /admin/keys/rotate");
    }

    @Test
    void rules_are_set_for_the_organisation_or_a_branch_and_observed_unless_said() {
        assertThat(run("policy", "set", "low", "caller.tier < 2")).isZero();
        assertThat(run("policy", "set", "low", "true", "--branch", "Lead", "--says", "no", "--enforce"))
                .isZero();
        assertThat(run("policy", "rm", "low", "--branch", "Lead")).isZero();

        assertThat(asked)
                .containsExactly(
                        "PUT /policy/low {\"refuse_when\":\"caller.tier < 2\",\"mode\":\"observe\"}",
                        "PUT /workspaces/i-1/policy/low {\"refuse_when\":\"true\",\"mode\":\"enforce\",\"says\":\"no\"}",
                        "DELETE /workspaces/i-1/policy/low");
        assertThat(screen.err()).contains("low is observed", "low refuses from now on.", "low is gone.");
    }

    @Test
    void what_a_rule_would_have_refused_is_told_call_by_call() {
        answer =
                "{\"calls\":9,\"unknown\":2,\"more\":true,\"rules\":[{\"name\":\"low\",\"refuse_when\":\"caller.tier < 2\","
                        + "\"would_refuse\":4,\"latest\":[{\"caller\":\"i-2\",\"caller_name\":\"Twin\",\"target_name\":\"Lead\","
                        + "\"method\":\"message/send\",\"times\":3,\"last_at\":\"2026-01-02T00:00:00Z\"},{\"caller\":null,"
                        + "\"target_name\":\"Lead\",\"method\":\"tasks/get\",\"times\":1,\"last_at\":\"2026-01-01T00:00:00Z\"}]}]}";

        assertThat(run("policy", "test", "--since", "24h", "--refuse-when", "caller.tier < 2"))
                .isZero();

        assertThat(asked)
                .containsExactly("POST /policy/test {\"since_secs\":86400,\"refuse_when\":\"caller.tier < 2\"}");
        assertThat(screen.out()).isEqualTo("""
                        low would have refused 4 of 9 calls: caller.tier < 2
                          Twin → Lead, message/send, 3 times, last 2026-01-02T00:00:00Z
                          a person → Lead, tasks/get, 1 times, last 2026-01-01T00:00:00Z
                        """);
        assertThat(screen.err()).contains("2 more were of agents that are gone.", "a shorter --since has fewer");
        assertThat(run("policy", "test", "--since", "soon")).isEqualTo(2);
    }

    @Test
    void agents_are_admitted_cut_off_and_released_by_name_or_id() {
        run("admit", "Lead");
        run("quarantine", "i-2");
        run("quarantine", "Lead", "--branch");
        answer = "";
        status = 200;
        run("quarantine", "Lead", "--release");

        assertThat(asked)
                .containsExactly(
                        "POST /workspaces/i-1/admit",
                        "POST /workspaces/i-2/quarantine {\"branch\":false}",
                        "POST /workspaces/i-1/quarantine {\"branch\":true}",
                        "DELETE /workspaces/i-1/quarantine");
        assertThat(screen.err()).contains("Lead (i-1) is admitted.", "with everybody below it", "is released");
    }

    @Test
    void new_keys_are_told_by_their_id() {
        answer = "{\"kid\":\"k2\",\"signs_from\":\"noon\",\"retires_at\":\"night\"}";

        assertThat(run("keys", "rotate")).isZero();

        assertThat(screen.err()).contains("The key k2 signs from noon; those before it are believed until night.");
    }

    private int run(String... words) {
        var home = MoleculeHome.fromSystemProperties();
        var all = new ArrayList<>(Arrays.asList(words));
        all.addAll(List.of("--url", "http://127.0.0.1:" + platform.getAddress().getPort()));
        return new CommandLine(CommandLine.Model.CommandSpec.create())
                .addSubcommand(new InviteCommand(screen.console(), home))
                .addSubcommand(new AdmitCommand(screen.console(), home))
                .addSubcommand(new QuarantineCommand(screen.console(), home))
                .addSubcommand(new KeysCommand(screen.console(), home))
                .addSubcommand(new PolicyCommand(screen.console(), home))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    screen.console().say(((LaunchFailure) failure).sentence());
                    return ((LaunchFailure) failure).exitCode();
                })
                .execute(all.toArray(String[]::new));
    }
}
