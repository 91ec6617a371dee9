package ai.molecule.runtime;

import ai.molecule.runtime.mcpclient.McpServerConfig;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code mcp_servers}: a section for each server, with {@code command} and {@code args}, or {@code url}; {@code env} or {@code headers};
 * {@code tools}, which may be used, all when left out; {@code timeout}, 1 to 600 seconds for a call, default 30. In values of {@code env}
 * and {@code headers}, and nowhere else, {@code ${NAME}} is that variable of the agent, so that secrets stand here by name.
 */
final class McpServerSettings {

    static final int SERVERS_MAX = 16;

    private static final int TIMEOUT_MAX_SECONDS = 600;
    private static final int ENTRIES_MAX = 64;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9-]{1,20}");
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([A-Za-z_][A-Za-z0-9_]*)}");
    private static final Set<String> KEYS = Set.of("command", "args", "env", "url", "headers", "tools", "timeout");

    /** All of the agent's own variables that a server finds without asking for them. */
    private static final List<String> PASSED_ON =
            List.of("PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS");

    /** By this the platform knows whose a process is, and ends what outlives its agent. */
    private static final String MARK = "WORKSPACE_CONFIG_PATH";

    private final Map<String, String> environment;

    /** @param environment where the variables are looked for */
    McpServerSettings(Map<String, String> environment) {
        this.environment = environment;
    }

    /**
     * @param section {@code mcp_servers}
     * @throws PreflightFailure saying what is wrong in it
     */
    List<McpServerConfig> read(Settings section) {
        List<McpServerConfig> servers = new ArrayList<>();
        for (String name : section.values().keySet().stream().sorted().toList()) {
            if (!NAME.matcher(name).matches()) {
                throw wrong("mcp_servers has a server " + name, "Name it with up to 20 letters, digits and hyphens.");
            }
            servers.add(server(name, section.section(name)));
        }
        if (servers.size() > SERVERS_MAX) {
            throw wrong("mcp_servers has " + servers.size() + " servers", "Leave " + SERVERS_MAX + " at most.");
        }
        return servers;
    }

    private McpServerConfig server(String name, Settings server) {
        String at = "mcp_servers." + name;
        server.values().keySet().stream()
                .filter(key -> !KEYS.contains(key))
                .findFirst()
                .ifPresent(key -> {
                    throw wrong(at + "." + key + " is not known", "Known are " + String.join(", ", sorted(KEYS)) + ".");
                });
        String command = server.text("command", "");
        String url = server.text("url", "");
        if (command.isEmpty() == url.isEmpty()) {
            throw wrong(at + " has neither command nor url, or both", "Give it one of them.");
        }
        int timeout = server.number("timeout", 30);
        if (timeout < 1 || timeout > TIMEOUT_MAX_SECONDS) {
            throw wrong(at + ".timeout is " + timeout, "Set it to seconds from 1 to 600.");
        }
        var words = new ArrayList<>(command.isEmpty() ? List.<String>of() : List.of(command));
        words.addAll(server.texts("args"));
        words.forEach(word -> checkVisible(at, word));
        checkVisible(at, url);
        if (words.size() > ENTRIES_MAX) {
            throw wrong(at + ".args has more than 63 words", "Shorten it.");
        }
        return new McpServerConfig(
                name,
                words,
                command.isEmpty() ? Map.of() : inherited(filled(at + ".env", server.section("env"))),
                url.isEmpty() ? Optional.empty() : Optional.of(checked(at, url)),
                url.isEmpty() ? Map.of() : headers(at, filled(at + ".headers", server.section("headers"))),
                Set.copyOf(server.texts("tools").stream().distinct().toList()),
                Duration.ofSeconds(timeout));
    }

    /** Words of a command are seen by every process of the machine, and addresses stand in logs. */
    private static void checkVisible(String at, String word) {
        if (VARIABLE.matcher(word).find()) {
            throw wrong(at + " has a variable in its command, args or url", "Use variables in env or headers.");
        }
    }

    private Map<String, String> inherited(Map<String, String> own) {
        Map<String, String> all = new HashMap<>();
        PASSED_ON.forEach(name -> passOn(name, all));
        all.putAll(own);
        passOn(MARK, all);
        return all;
    }

    private void passOn(String name, Map<String, String> all) {
        @Nullable String value = environment.get(name);
        if (value != null) {
            all.put(name, value);
        }
    }

    private Map<String, String> filled(String at, Settings section) {
        Map<String, String> filled = new HashMap<>();
        section.values().forEach((key, value) -> filled.put(key, filled(at + "." + key, String.valueOf(value))));
        if (filled.size() > ENTRIES_MAX) {
            throw wrong(at + " has more than " + ENTRIES_MAX + " entries", "Shorten it.");
        }
        return filled;
    }

    private String filled(String at, String value) {
        return VARIABLE.matcher(value).replaceAll(found -> {
            String name = found.group(1);
            String secret = environment.getOrDefault(name, "");
            if (secret.isBlank()) {
                throw wrong(at + " names " + name + ", which is not set", "Set it as a secret of the workspace.");
            }
            return Matcher.quoteReplacement(secret);
        });
    }

    private static Map<String, String> headers(String at, Map<String, String> headers) {
        for (var header : headers.entrySet()) {
            try {
                HttpRequest.Builder _ = HttpRequest.newBuilder().header(header.getKey(), header.getValue());
            } catch (IllegalArgumentException refused) {
                throw wrong(at + ".headers." + header.getKey() + " cannot be sent", "Correct its name or its value.");
            }
        }
        return headers;
    }

    private static URI checked(String at, String url) {
        try {
            var uri = new URI(url);
            boolean web = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
            if (web && uri.getHost() != null && uri.getUserInfo() == null) {
                return uri;
            }
        } catch (URISyntaxException notOne) {
            // told below, without the text: it may carry a key
        }
        throw wrong(at + ".url is not an http or https URL without a user", "Correct it.");
    }

    private static List<String> sorted(Set<String> keys) {
        return keys.stream().sorted().toList();
    }

    private static PreflightFailure wrong(String detail, String fix) {
        return new PreflightFailure("MCP servers", detail, fix);
    }
}
