package ai.molecule.runtime.tools;

import ai.molecule.sdk.ClientConfig;
import ai.molecule.sdk.TokenFile;
import ai.molecule.sdk.TokenStore;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which workspaces a process speaks for, read from its environment.
 *
 * <p>{@code MOLECULE_WORKSPACES}, a JSON array of {@code {"id","token"[,"platform_url"]}}, names several; then {@code
 * WORKSPACE_ID} and {@code MOLECULE_WORKSPACE_TOKEN} count for nothing. Otherwise {@code WORKSPACE_ID} (or {@code
 * MOLECULE_WORKSPACE_ID}) names one, whose token is in {@code CONFIGS_DIR}, else in {@code MOLECULE_WORKSPACE_TOKEN}, else in
 * {@code ~/.molecule/<id>}. The platform is {@code PLATFORM_URL}, else {@code MOLECULE_PLATFORM_URL}, else {@code
 * MOLECULE_URL}, else {@code http://localhost:8080}; {@code MOLECULE_ORG_ID} goes with every request.
 */
public final class WorkspaceSettings {

    private static final String SEVERAL = "MOLECULE_WORKSPACES";
    private static final Pattern ID = Pattern.compile("[a-z0-9][a-z0-9-]{0,127}");

    private final Map<String, String> env;

    private WorkspaceSettings(Map<String, String> env) {
        this.env = env;
    }

    /**
     * In order, at least one.
     *
     * @throws IllegalArgumentException with a sentence for each thing that is wrong; then none counts
     */
    public static List<ClientConfig> read(Map<String, String> env) {
        var settings = new WorkspaceSettings(env);
        return settings.value(SEVERAL).isEmpty() ? List.of(settings.one()) : settings.several();
    }

    private ClientConfig one() {
        String id = first("WORKSPACE_ID", "MOLECULE_WORKSPACE_ID");
        if (id.isEmpty()) {
            throw new IllegalArgumentException("WORKSPACE_ID is not set: set it to your workspace's id, or " + SEVERAL
                    + " to a JSON array of {\"id\",\"token\"}.");
        }
        if (!ID.matcher(id).matches()) {
            throw new IllegalArgumentException("WORKSPACE_ID is no workspace id: " + id);
        }
        return config(id, platformUrl(), tokens(id));
    }

    private List<ClientConfig> several() {
        List<String> errors = new ArrayList<>();
        List<ClientConfig> configs = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        JsonNode list = parsed();
        if (!list.isArray() || list.isEmpty()) {
            throw new IllegalArgumentException(SEVERAL + " must be a JSON array with at least one workspace.");
        }
        for (int i = 0; i < list.size(); i++) {
            JsonNode entry = list.get(i);
            String id = entry.path("id").asText("").strip();
            String token = entry.path("token").asText("").strip();
            String url = entry.path("platform_url").asText("").strip();
            String which = SEVERAL + "[" + i + "]";
            if (!ID.matcher(id).matches()) {
                errors.add(which + " has no valid id.");
            } else if (token.isEmpty()) {
                errors.add(which + " (" + id + ") has no token.");
            } else if (!seen.add(id)) {
                errors.add(which + " (" + id + ") is there twice.");
            } else {
                try {
                    configs.add(config(id, url.isEmpty() ? platformUrl() : url, new HeldToken(token)));
                } catch (IllegalArgumentException e) {
                    errors.add(which + " (" + id + "): " + e.getMessage());
                }
            }
        }
        if (!errors.isEmpty()) {
            throw new IllegalArgumentException(String.join("\n", errors));
        }
        return configs;
    }

    /** The text is not shown when it is malformed: it has tokens in it. */
    private JsonNode parsed() {
        try {
            return Json.MAPPER.readTree(value(SEVERAL));
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException(
                    SEVERAL + " is no JSON (line " + e.getLocation().getLineNr() + ", column "
                            + e.getLocation().getColumnNr() + ").",
                    null);
        }
    }

    private TokenStore tokens(String id) {
        String folder = value("CONFIGS_DIR");
        TokenStore inFolder = TokenFile.in(
                folder.isEmpty() ? Path.of(System.getProperty("user.home"), ".molecule", id) : Path.of(folder));
        String given = value("MOLECULE_WORKSPACE_TOKEN");
        boolean fileWins =
                given.isEmpty() || (!folder.isEmpty() && inFolder.load().isPresent());
        return fileWins ? inFolder : new HeldToken(given);
    }

    private ClientConfig config(String id, String url, TokenStore tokens) {
        ClientConfig config = ClientConfig.of(id, url, tokens);
        String orgId = value("MOLECULE_ORG_ID");
        return orgId.isEmpty() ? config : config.withOrgId(orgId);
    }

    private String platformUrl() {
        String url = first("PLATFORM_URL", "MOLECULE_PLATFORM_URL", "MOLECULE_URL");
        return url.isEmpty() ? "http://localhost:8080" : url;
    }

    private String first(String... names) {
        for (String name : names) {
            if (!value(name).isEmpty()) {
                return value(name);
            }
        }
        return "";
    }

    private String value(String name) {
        return env.getOrDefault(name, "").strip();
    }
}
