package ai.molecule.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** A web server of an agent, by the name that {@code ./molecule up} has for it. */
@Tag("full")
@EnabledOnOs(value = OS.LINUX, disabledReason = "only Linux tells whose a port is")
@ExtendWith(SharedPlatform.class)
class WebPreviewsIT {

    private static final Pattern COOKIE = Pattern.compile("(?i)\r\nset-cookie: ([^;]+);");
    private static final Pattern PORT = Pattern.compile(".* port (\\d+).*");

    @Test
    void a_link_shows_the_web_server_of_that_agent_and_no_other_port(@TempDir Path folder, Platform platform)
            throws Exception {
        Files.writeString(folder.resolve("page.txt"), "the agent's page");
        String agent = platform.create("Web Developer", "echo", null);
        String other = platform.create("Neighbour", "echo", null);
        platform.awaitStatus(agent, "online");
        platform.awaitStatus(other, "online");
        var server = serve(folder, agent);
        try {
            int port = portOf(server);
            String path = "/workspaces/" + agent + "/preview";
            assertThat(platform.get(path).path("ports")).hasSize(1).first().hasToString(String.valueOf(port));
            assertThat(platform.get("/workspaces/" + other + "/preview").path("ports"))
                    .isEmpty();
            platform.post(409, "/workspaces/" + other + "/preview", "{\"port\":" + port + "}");

            var made = platform.post(201, path, "{\"port\":" + port + "}");
            assertThat(Instant.parse(made.path("expires_at").asText()))
                    .isCloseTo(Instant.now(), within(10, ChronoUnit.MINUTES));
            var link = URI.create(made.path("url").asText());
            assertThat(link.getHost()).isEqualTo(port + "--" + agent + ".agents.localhost");

            String opened = get(link.getPort(), link.getHost(), link.getPath() + "?" + link.getQuery(), "");
            assertThat(opened).startsWith("HTTP/1.1 303 ");
            var cookie = COOKIE.matcher(opened);
            assertThat(cookie.find()).isTrue();
            assertThat(get(link.getPort(), link.getHost(), "/page.txt", cookie.group(1)))
                    .startsWith("HTTP/1.1 200 ")
                    .endsWith("the agent's page");
            assertThat(get(link.getPort(), link.getHost(), "/page.txt", "")).startsWith("HTTP/1.1 401 ");
            assertThat(get(link.getPort(), "agents.localhost", "/workspaces", cookie.group(1)))
                    .startsWith("HTTP/1.1 421 ");
        } finally {
            server.destroyForcibly().waitFor();
        }
    }

    /** As an agent's command starts one: with the environment that the agent has. */
    private static Process serve(Path folder, String agent) throws IOException {
        var builder = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-m",
                        "jdk.httpserver",
                        "-b",
                        "127.0.0.1",
                        "-p",
                        "0",
                        "-d",
                        folder.toAbsolutePath().toString())
                .redirectErrorStream(true);
        builder.environment().put("WORKSPACE_ID", agent);
        return builder.start();
    }

    private static int portOf(Process server) throws IOException {
        var output = server.inputReader();
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            var port = PORT.matcher(line);
            if (port.matches()) {
                return Integer.parseInt(port.group(1));
            }
        }
        throw new IOException("the web server did not start");
    }

    /** The whole answer. The name is not looked up: where it leads is the browser's to know. */
    private static String get(int gateway, String host, String path, String cookie) throws IOException {
        try (var socket = new Socket("127.0.0.1", gateway)) {
            socket.getOutputStream()
                    .write("GET %s HTTP/1.1\r\nHost: %s:%d\r\nCookie: %s\r\nConnection: close\r\n\r\n"
                            .formatted(path, host, gateway, cookie.isEmpty() ? "none=1" : cookie)
                            .getBytes(StandardCharsets.ISO_8859_1));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }
}
