package ai.molecule.cli.profile;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import ai.molecule.cli.doors.PeopleCommand;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code login}, {@code whoami}, {@code logout} and {@code people}, against a platform that answers what it is told to. */
class SigningInFromACommandTest {

    private static final String BEGUN =
            "{\"device_code\":\"d-1\",\"user_code\":\"BCDF-GHJK\",\"verification_uri\":\"http://p/ui#device\",\"verification_uri_complete\":\"http://p/ui#device=BCDF-GHJK\",\"expires_in\":600,\"interval\":0}";
    private static final String GRANTED =
            "{\"access_token\":\"secret-token\",\"token_type\":\"Bearer\",\"expires_in\":7776000,\"scope\":\"operator\"}";
    private static final String ME =
            "{\"id\":\"p-1\",\"login\":\"kim\",\"name\":\"Kim\",\"roles\":[{\"role\":\"operator\"}],\"signs_in_with\":[\"password\"],\"disabled\":false,\"credential\":\"token:abcdefgh\",\"opens\":\"viewer\"}";

    @TempDir
    Path temp;

    private final Screen screen = new Screen();
    private final List<String> asked = new ArrayList<>();
    private final Map<String, Deque<String>> answers = new HashMap<>();

    @SuppressWarnings("NullAway.Init")
    private HttpServer platform;

    @BeforeEach
    void startPlatform() throws IOException {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/", exchange -> {
            exchange.getRequestBody().readAllBytes();
            String line = exchange.getRequestMethod() + " " + exchange.getRequestURI();
            String bearer = exchange.getRequestHeaders().getFirst("Authorization");
            asked.add(line + (bearer == null ? "" : " " + bearer));
            String answer = answers.getOrDefault(line, new ArrayDeque<>(List.of("404 {}")))
                    .poll();
            byte[] body = String.valueOf(answer).substring(4).getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(Integer.parseInt(String.valueOf(answer).substring(0, 3)), body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        platform.start();
    }

    @AfterEach
    void stopPlatform() {
        platform.stop(0);
    }

    @Test
    void a_code_is_shown_and_the_token_of_who_typed_it_kept_until_it_is_given_back() throws IOException {
        answers("POST /device/code", "200 " + BEGUN);
        answers(
                "POST /device/token",
                "400 {\"error\":\"authorization_pending\"}",
                "400 {\"error\":\"authorization_pending\"}",
                "200 " + GRANTED);
        answers("GET /people/me", "200 " + ME);
        answers("DELETE /people/me/tokens/current", "200 {\"status\":\"revoked\"}");

        assertThat(run("login", "--as", "work", "--url", url())).isZero();
        assertThat(run("whoami", "--profile", "work")).isZero();

        assertThat(screen.err()).contains("BCDF-GHJK", "http://p/ui#device", "operator, for 90 days");
        assertThat(screen.out())
                .contains("kim (Kim), operator, here viewer, by token:abcdefgh")
                .doesNotContain("secret-token");
        assertThat(Files.readString(temp.resolve("profiles"))).contains("work.token = secret-token");
        assertThat(run("logout", "--profile", "work")).isZero();
        assertThat(asked)
                .contains("GET /people/me Bearer secret-token", "DELETE /people/me/tokens/current Bearer secret-token");
        assertThat(Files.readString(temp.resolve("profiles"))).doesNotContain("secret-token");
    }

    @Test
    void who_is_refused_keeps_nothing() {
        answers("POST /device/code", "200 " + BEGUN);
        answers("POST /device/token", "400 {\"error\":\"access_denied\"}");

        assertThat(run("login", "--as", "work", "--url", url())).isEqualTo(2);

        assertThat(screen.err()).contains("refused at the page");
        assertThat(temp.resolve("profiles")).doesNotExist();
    }

    @Test
    void whoever_has_no_name_is_told_how_to_get_one() {
        answers("GET /people/me", "401 {\"error\":\"this is for people who signed in\"}");

        assertThat(run("whoami", "--url", url())).isEqualTo(2);

        assertThat(screen.err()).contains("./molecule login --url " + url());
    }

    @Test
    void an_invitation_prints_its_link_alone() {
        answers("POST /people", "201 {\"link\":\"http://p/ui#link=x\",\"link_expires_at\":\"2026-01-02T00:00:00Z\"}");
        answers("GET /people", "200 {\"people\":[" + ME + "],\"count\":1}");

        assertThat(run("people", "--invite", "lee", "--role", "operator", "--url", url()))
                .isZero();
        assertThat(screen.out()).isEqualTo("http://p/ui#link=x\n");
        assertThat(run("people", "--url", url())).isZero();
        assertThat(screen.out()).contains("kim", "operator", "password");
    }

    private void answers(String line, String... inTurn) {
        answers.put(line, new ArrayDeque<>(Arrays.asList(inTurn)));
    }

    private String url() {
        return "http://127.0.0.1:" + platform.getAddress().getPort();
    }

    private int run(String... words) {
        var home = MoleculeHome.fromSystemProperties();
        var all = new ArrayList<>(Arrays.asList(words));
        all.addAll(List.of("--config", temp.resolve("profiles").toString()));
        return new CommandLine(CommandLine.Model.CommandSpec.create())
                .addSubcommand(new LoginCommand(screen.console(), home))
                .addSubcommand(new LogoutCommand(screen.console(), home))
                .addSubcommand(new WhoamiCommand(screen.console(), home))
                .addSubcommand(new PeopleCommand(screen.console(), home))
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    screen.console().say(((LaunchFailure) failure).sentence());
                    return ((LaunchFailure) failure).exitCode();
                })
                .execute(all.toArray(String[]::new));
    }
}
