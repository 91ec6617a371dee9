package ai.molecule.cli.machine;

import ai.molecule.cli.http.PlatformApi;
import ai.molecule.common.models.Provider;
import ai.molecule.common.models.ProviderTable;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Objects;
import java.util.stream.Collectors;

/** Whether agents with a model have somebody to ask. */
public final class ModelKeys {

    private static final String NAME = "models";

    private ModelKeys() {}

    /** Of a platform that runs. Which keys there are, not whether their providers take them. */
    public static Finding of(PlatformApi api) throws IOException {
        String found = found(api);
        return found.isEmpty()
                ? Finding.note(
                        NAME,
                        "There is no key of a provider for everybody: agents with a model of their own need one, the recorded ones do not.",
                        "./molecule secret set OPENAI_API_KEY, or ANTHROPIC_API_KEY, GEMINI_API_KEY …")
                : Finding.ok(NAME, found);
    }

    /** The names of those that are given to all agents; empty for none. */
    public static String found(PlatformApi api) throws IOException {
        var kept = api.list("/settings/secrets").stream()
                .map(secret -> ((JsonObject) secret).getString("key", ""))
                .collect(Collectors.toSet());
        return ProviderTable.shipped().all().stream()
                .map(Provider::secret)
                .filter(Objects::nonNull)
                .filter(kept::contains)
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /** Of one that does not. */
    public static Finding unknown() {
        return Finding.note(
                NAME, "Their keys are kept by the platform, which does not run.", "Look again when it does.");
    }
}
