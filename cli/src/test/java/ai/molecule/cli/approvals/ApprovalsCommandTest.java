package ai.molecule.cli.approvals;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Rules that say who decides, and the export of decisions, against a platform that answers what it is told to. */
class ApprovalsCommandTest {

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
            byte[] bytes = (lists ? "[{\"id\":\"i-1\",\"name\":\"Lead\"}]" : answer).getBytes(StandardCharsets.UTF_8);
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
    void decisions_are_exported_to_a_file_as_they_come_or_printed(@TempDir Path folder) throws IOException {
        answer = "approval_id,action\r\na-1,'=1+1\r\n";
        Path file = folder.resolve("november.csv");

        assertThat(run("export", "--from", "2026-11-01", "--to", "2026-12-01T12:30:00Z", file.toString()))
                .isZero();
        assertThat(run("export", "--format", "jsonl")).isZero();

        assertThat(asked)
                .containsExactly(
                        "GET /approvals/export?format=csv&from=2026-11-01T00%3A00Z&to=2026-12-01T12%3A30Z",
                        "GET /approvals/export?format=jsonl");
        assertThat(Files.readString(file)).isEqualTo(answer);
        assertThat(screen.err()).contains("31 bytes are in " + file);
        assertThat(screen.out().lines()).containsExactly("approval_id,action", "a-1,'=1+1");
    }

    @Test
    void an_export_that_is_refused_writes_nothing_and_says_why(@TempDir Path folder) {
        status = 400;
        answer = "{\"error\":\"format must be csv or jsonl\"}";
        Path file = folder.resolve("november.csv");

        assertThat(run("export", "--format", "xml", file.toString())).isEqualTo(2);
        assertThat(run("export", "--from", "yesterday")).isEqualTo(2);

        assertThat(file).doesNotExist();
        assertThat(screen.err())
                .contains(
                        "Nothing was exported: format must be csv or jsonl (400).",
                        "--from yesterday is no day or time; try 2026-11-01");
    }

    @Test
    void rules_are_listed_set_and_deleted() {
        answer = """
                {"rules":[{"name":"payments","team":null,"team_name":null,"priority":0,"when":"tool == 'pay'","approvals":2,
                  "deciders":{"people":["kim","lee"],"role":"owner"},"escalation":{"after_minutes":60,"people":[],"role":"operator"}}]}""";

        assertThat(run("rules")).isZero();
        assertThat(run(
                        "set",
                        "payments",
                        "tool == 'pay'",
                        "--by",
                        "kim,lee",
                        "--role",
                        "owner",
                        "--approvals",
                        "2",
                        "--escalate-after",
                        "1h",
                        "--escalate-role",
                        "operator",
                        "--team",
                        "Lead",
                        "--priority",
                        "5"))
                .isZero();
        assertThat(run("set", "all", "true", "--role", "owner")).isZero();
        assertThat(run("set", "all", "true", "--role", "owner", "--escalate-after", "1h"))
                .isEqualTo(2);
        assertThat(run("rm", "payments")).isZero();

        assertThat(screen.out()).contains("payments", "two of kim, lee, every owner; after 60 min also every operator");
        assertThat(asked)
                .containsExactly(
                        "GET /approvals/rules",
                        "PUT /approvals/rules/payments {\"deciders\":{\"people\":[\"kim\",\"lee\"],\"role\":\"owner\"},\"approvals\":2,\"escalation\":{\"people\":[],\"role\":\"operator\",\"after_minutes\":60},\"when\":\"tool == 'pay'\",\"priority\":5,\"team\":\"i-1\"}",
                        "PUT /approvals/rules/all {\"deciders\":{\"people\":[],\"role\":\"owner\"},\"approvals\":1,\"when\":\"true\",\"priority\":0}",
                        "DELETE /approvals/rules/payments");
        assertThat(screen.err()).contains("An escalation needs --escalate-after", "payments is gone");
    }

    private int run(String... words) {
        var all = new ArrayList<>(List.of("approvals"));
        all.addAll(Arrays.asList(words));
        all.addAll(List.of("--url", "http://127.0.0.1:" + platform.getAddress().getPort()));
        return new CommandLine(CommandLine.Model.CommandSpec.create())
                .addSubcommand(new ApprovalsCommand(screen.console(), MoleculeHome.fromSystemProperties()))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    screen.console().say(((LaunchFailure) failure).sentence());
                    return ((LaunchFailure) failure).exitCode();
                })
                .execute(all.toArray(String[]::new));
    }
}
