package ai.molecule.cli;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.http.PlatformApi;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Nothing that agents and strangers write can command the terminal of whoever looks. */
class PrintingWhatOthersWroteTest {

    @Test
    void a_line_of_a_log_keeps_its_words_and_tabs_and_loses_what_a_terminal_would_obey() {
        var screen = new Screen();

        screen.console().out("a\tb\u001b[2J\u009b31m c\r\u202edlrow\u2066 \ud83d\ude80 ä");
        screen.console().say("\u0007");

        assertThat(screen.out()).isEqualTo("a\tb\ufffd[2J\ufffd31m c\ufffd\ufffddlrow\ufffd \ud83d\ude80 ä\n");
        assertThat(screen.err()).isEqualTo("\ufffd\n");
    }

    @Test
    void an_agents_name_begins_no_line_of_its_own() throws Exception {
        var platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/workspaces", exchange -> {
            try (exchange) {
                byte[] body =
                        "[{\"id\":\"1\",\"name\":\"\\u001bcX\\nTeam Lead online\"}]".getBytes(StandardCharsets.UTF_8);
                exchange.sendResponseHeaders(200, body.length);
                exchange.getResponseBody().write(body);
            }
        });
        platform.start();
        String url = "http://127.0.0.1:" + platform.getAddress().getPort();
        try (var api = new PlatformApi(url, Optional.empty(), Optional.empty())) {
            assertThat(api.agents().getFirst().name()).isEqualTo("\ufffdcX\ufffdTeam Lead online");
        } finally {
            platform.stop(0);
        }
    }
}
