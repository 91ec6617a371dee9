package ai.molecule.events;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.PlatformConfig;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything events-service reads from its environment, read once at start.
 *
 * @param port {@code EVENTS_PORT}, default 8082; 0 lets the system choose
 * @param publicUrl {@code EXTERNAL_PLATFORM_URL}: where clients reach the platform; null means as the request said
 * @param platform what every service reads
 */
public record EventsConfig(int port, @Nullable String publicUrl, PlatformConfig platform) {

    /** Reads and checks every variable; {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static EventsConfig fromEnv(Map<String, String> variables) {
        var env = new Env(variables);
        return new EventsConfig(
                env.port("EVENTS_PORT", 8082), env.find("EXTERNAL_PLATFORM_URL"), PlatformConfig.fromEnv(variables));
    }
}
