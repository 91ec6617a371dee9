package ai.molecule.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.runtime.mcpclient.McpServerConfig;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** {@code mcp_servers}: what stands there, and what is wrong with it. */
class ReadingMcpServersTest {

    private static final Map<String, String> ENVIRONMENT = Map.of(
            "WORKSPACE_CONFIG_PATH",
            "/configs",
            "PATH",
            "/bin",
            "OPENAI_API_KEY",
            "sk-1",
            "SEARCH_TOKEN",
            "s3cret",
            "MOLECULE_WORKSPACE_TOKEN",
            "t");

    @Test
    void a_program_gets_what_it_names_and_none_of_the_agents_other_secrets() {
        var server = read("""
                files:
                  command: npx
                  args: [-y, server, .]
                  env: {LEVEL: 3, TOKEN: "${SEARCH_TOKEN}"}
                  tools: [read_file]
                  timeout: 5
                """).getFirst();

        assertThat(server.name()).isEqualTo("files");
        assertThat(server.command()).containsExactly("npx", "-y", "server", ".");
        assertThat(server.environment())
                .containsOnly(
                        Map.entry("PATH", "/bin"),
                        Map.entry("LEVEL", "3"),
                        Map.entry("TOKEN", "s3cret"),
                        Map.entry("WORKSPACE_CONFIG_PATH", "/configs"));
        assertThat(server.allowed()).containsExactly("read_file");
        assertThat(server.timeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(server.toString()).doesNotContain("s3cret");
    }

    @Test
    void a_url_gets_its_headers() {
        var server = read("""
                search: {url: "https://example.org/mcp", headers: {Authorization: "Bearer ${SEARCH_TOKEN}"}}
                """).getFirst();

        assertThat(server.url()).hasToString("Optional[https://example.org/mcp]");
        assertThat(server.headers()).containsOnly(Map.entry("Authorization", "Bearer s3cret"));
        assertThat(server.environment()).isEmpty();
        assertThat(server.timeout()).isEqualTo(Duration.ofSeconds(30));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a b: {command: x} | mcp_servers has a server a b",
                "a: {} | mcp_servers.a has neither command nor url, or both",
                "a: {command: x, url: 'http://h/'} | mcp_servers.a has neither command nor url, or both",
                "a: {command: x, cwd: /} | mcp_servers.a.cwd is not known",
                "a: 7 | mcp_servers.a is 7",
                "a: {command: x, timeout: 0} | mcp_servers.a.timeout is 0",
                "a: {command: x, timeout: soon} | mcp_servers.a.timeout is soon",
                "a: {command: x, args: ['${SEARCH_TOKEN}']} | mcp_servers.a has a variable in its command, args or url",
                "a: {command: x, env: {K: '${NOWHERE}'}} | mcp_servers.a.env.K names NOWHERE, which is not set",
                "a: {url: 'ftp://h/'} | mcp_servers.a.url is not an http or https URL without a user",
                "a: {url: 'http://me:pw@h/'} | mcp_servers.a.url is not an http or https URL without a user",
                "a: {url: 'http://h/', headers: {Host: other}} | mcp_servers.a.headers.Host cannot be sent"
            })
    void what_is_wrong_is_said_by_its_name_before_the_start(String section, String message) {
        assertThatThrownBy(() -> read(section))
                .isInstanceOf(PreflightFailure.class)
                .hasMessage(message);
    }

    private static List<McpServerConfig> read(String yaml) {
        var root = new Settings(Map.of("mcp_servers", new Yaml().<Map<String, Object>>load(yaml)));
        return new McpServerSettings(ENVIRONMENT).read(root.section("mcp_servers"));
    }
}
