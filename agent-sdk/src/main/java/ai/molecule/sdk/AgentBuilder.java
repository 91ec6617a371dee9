package ai.molecule.sdk;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Collects what an agent chooses; all of it has a default.
 *
 * <pre>{@code
 * RemoteAgentClient client = RemoteAgentClient.builder(id, "https://molecule.example")
 *         .agentName("scribe")
 *         .orgId("acme")
 *         .build();
 * }</pre>
 */
public final class AgentBuilder {

    /** A workspace id that can name a folder. */
    private static final Pattern FOLDER_NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");

    private final String workspaceId;
    private final String platformUrl;
    private @Nullable Path tokenFolder;
    private @Nullable TokenStore tokens;
    private @Nullable JsonNode card;
    private String reportedUrl = "";
    private Duration heartbeatInterval = Duration.ofSeconds(30);
    private Duration stateInterval = Duration.ofSeconds(5);
    private Duration urlCacheTimeToLive = Duration.ofSeconds(300);
    private String orgId = "";
    private Optional<String> origin = Optional.of("");

    AgentBuilder(String workspaceId, String platformUrl) {
        this.workspaceId = workspaceId;
        this.platformUrl = platformUrl;
    }

    /** Where the token file and the plugins lie. Default: {@code ~/.molecule/<workspace id>}. */
    public AgentBuilder tokenFolder(Path folder) {
        this.tokenFolder = folder;
        return this;
    }

    /** Keeps the token somewhere else than in a file. */
    public AgentBuilder tokens(TokenStore store) {
        this.tokens = store;
        return this;
    }

    /** The name on the agent card. Default: {@code remote-agent-} and the first 8 characters of the workspace id. */
    public AgentBuilder agentName(String name) {
        return agentCard(PlatformHttp.JSON.createObjectNode().put("name", name));
    }

    /** The whole agent card, a JSON object. */
    public AgentBuilder agentCard(JsonNode agentCard) {
        this.card = agentCard;
        return this;
    }

    /** Where the platform and peers reach this agent. Default: nowhere, it polls. */
    public AgentBuilder reportedUrl(String url) {
        this.reportedUrl = url;
        return this;
    }

    /** Default 30 s; the platform takes an agent for gone after 60 to 90 s without. */
    public AgentBuilder heartbeatInterval(Duration interval) {
        this.heartbeatInterval = interval;
        return this;
    }

    /** How often the agent loop asks whether to go on. Default 5 s. */
    public AgentBuilder stateInterval(Duration interval) {
        this.stateInterval = interval;
        return this;
    }

    /** How long a peer's address is remembered. Default 300 s; zero: not at all. */
    public AgentBuilder urlCacheTimeToLive(Duration timeToLive) {
        this.urlCacheTimeToLive = timeToLive;
        return this;
    }

    /** Sent as {@code X-Molecule-Org-Id} with every request; empty: not sent. */
    public AgentBuilder orgId(String id) {
        this.orgId = id;
        return this;
    }

    /** Sent as {@code Origin}; default the platform's URL. */
    public AgentBuilder origin(String value) {
        this.origin = Optional.of(value);
        return this;
    }

    /** Sends no {@code Origin}. */
    public AgentBuilder withoutOrigin() {
        this.origin = Optional.empty();
        return this;
    }

    /** @throws IllegalArgumentException naming the value that is missing or malformed */
    public RemoteAgentClient build() {
        Path folder = tokenFolder == null ? defaultFolder() : tokenFolder;
        TokenStore store = tokens == null ? TokenFile.in(folder) : tokens;
        ClientConfig config = ClientConfig.of(workspaceId, platformUrl, store);
        if (!orgId.isEmpty()) {
            config = config.withOrgId(orgId);
        }
        if (origin.isEmpty()) {
            config = config.withoutOrigin();
        } else if (!origin.get().isEmpty()) {
            config = config.withOrigin(origin.get());
        }
        JsonNode described = card == null
                ? PlatformHttp.JSON.createObjectNode().put("name", "remote-agent-" + firstEight(workspaceId))
                : card;
        return new RemoteAgentClient(
                new AgentSettings(
                        described,
                        reportedUrl,
                        heartbeatInterval,
                        stateInterval,
                        urlCacheTimeToLive,
                        folder.resolve("plugins")),
                config);
    }

    private Path defaultFolder() {
        if (!FOLDER_NAME.matcher(workspaceId).matches()) {
            throw new IllegalArgumentException("not a workspace id: " + workspaceId);
        }
        return Path.of(System.getProperty("user.home"), ".molecule", workspaceId);
    }

    private static String firstEight(String id) {
        return id.substring(0, Math.min(8, id.length()));
    }
}
