package ai.molecule.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.Screen;
import ai.molecule.cli.http.PlatformApi;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code up --folder}, on a platform that has nobody and keeps what it is asked to import. */
class MakingATeamForAFolderTest {

    private final List<String> imported = new CopyOnWriteArrayList<>();
    private final Screen screen = new Screen();

    @TempDir
    private Path folder;

    @SuppressWarnings("NullAway.Init")
    private HttpServer platform;

    @BeforeEach
    void startPlatform() throws IOException {
        platform = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        platform.createContext("/workspaces", exchange -> reply(exchange, 200, "[]"));
        platform.createContext("/org/import", exchange -> {
            imported.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            reply(exchange, 201, "{}");
        });
        platform.start();
    }

    @AfterEach
    void stopPlatform() {
        platform.stop(0);
    }

    @Test
    void all_of_them_ask_the_model_that_was_named() {
        show("openai:gpt-4o");

        assertThat(imported)
                .singleElement()
                .asString()
                .contains("openai:gpt-4o")
                .doesNotContain("@MODEL@", "recorded:");
        assertThat(screen.err()).contains("three agents read " + folder).doesNotContain("no key needed");
    }

    @Test
    void without_one_their_model_is_recorded_and_needs_no_key() {
        show("");

        assertThat(imported).singleElement().asString().contains("recorded:").doesNotContain("@MODEL@");
        assertThat(screen.err()).contains("no key needed", "try: ./molecule say");
    }

    @ParameterizedTest
    @ValueSource(strings = {"gpt 4", "openai:x\n", "\"", "a\\b"})
    void a_model_that_is_none_is_the_users_turn(String model) {
        assertThatThrownBy(() -> FolderOrganisation.in(folder, model, false)).hasMessageContaining("is no model");
        assertThat(folder).isEmptyDirectory();
    }

    private void show(String model) {
        try (var api = new PlatformApi(
                "http://127.0.0.1:" + platform.getAddress().getPort(), Optional.empty(), Optional.empty())) {
            FolderOrganisation.in(folder, model, false).show(api, screen.console());
        }
    }

    private static void reply(HttpExchange exchange, int status, String body) throws IOException {
        try (exchange) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
        }
    }
}
