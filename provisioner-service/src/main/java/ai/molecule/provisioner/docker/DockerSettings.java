package ai.molecule.provisioner.docker;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.Environment;
import ai.molecule.provisioner.containers.ImageNames;
import ai.molecule.provisioner.containers.Tier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the docker backend needs to know.
 *
 * @param socket {@code DOCKER_HOST}, {@code unix://} only, default {@code /var/run/docker.sock}
 * @param platform {@code MOLECULE_PLATFORM_ID}, default {@code molecule}: tells the containers of two platforms on one engine apart
 * @param network {@code MOLECULE_DOCKER_NETWORK}, default {@code molecule-monorepo-net}: created when it is absent
 * @param inNetwork {@code MOLECULE_DOCKER_DIAL=network}: the platform is in that network too and dials agents by name; with
 *     {@code published}, the default, at a port of 127.0.0.1
 * @param apart {@code MOLECULE_DOCKER_ICC=off}, the default in production where the platform dials published ports: containers in
 *     that network do not reach each other
 * @param platformUrl {@code PLATFORM_URL}: the front door, as agents reach it
 * @param uid {@code MOLECULE_CONTAINER_UID}, default 10001: what agents run as, and who owns their files
 * @param privileged {@code MOLECULE_ALLOW_PRIVILEGED=1}: tiers 3 and 4 get what the contract gives them
 * @param images {@code MOLECULE_IMAGE_<RUNTIME>}, by that name
 * @param imagePlatform {@code MOLECULE_IMAGE_PLATFORM}, such as {@code linux/amd64}: of images that are pulled; null for the engine's own
 * @param logins {@code MOLECULE_REGISTRY_AUTH}: who we are to registries
 * @param tiers limits by tier, {@code TIERn_MEMORY_MB} and {@code TIERn_CPU_SHARES}
 * @param heartbeat {@code MOLECULE_HEARTBEAT_SECONDS}
 * @param stopGrace from SIGTERM to SIGKILL
 */
public record DockerSettings(
        Path socket,
        String platform,
        String network,
        boolean inNetwork,
        boolean apart,
        String platformUrl,
        int uid,
        boolean privileged,
        ImageNames images,
        @Nullable String imagePlatform,
        RegistryLogins logins,
        List<Tier> tiers,
        Duration heartbeat,
        Duration stopGrace) {

    /** The name by which containers know the machine they run on. */
    public static final String HOST_NAME = "host.docker.internal";

    private static final int UID = 10_001;

    /** Every tag, name and label below must be one the engine and a person can tell apart; {@link IllegalArgumentException} says so. */
    public static DockerSettings fromEnv(Env env) {
        boolean inNetwork = inNetwork(env.text("MOLECULE_DOCKER_DIAL", "published"));
        return new DockerSettings(
                socket(env.text("DOCKER_HOST", "unix:///var/run/docker.sock")),
                word(env, "MOLECULE_PLATFORM_ID", "molecule"),
                word(env, "MOLECULE_DOCKER_NETWORK", "molecule-monorepo-net"),
                inNetwork,
                apart(env, inNetwork),
                env.text("PLATFORM_URL", "http://%s:%d".formatted(HOST_NAME, env.port("PORT", 8080))),
                (int) env.integer("MOLECULE_CONTAINER_UID", UID, 0, 65_533),
                "1".equals(env.find("MOLECULE_ALLOW_PRIVILEGED")),
                ImageNames.fromEnv(env.variables()),
                imagePlatform(env.find(ImageNames.PLATFORM)),
                RegistryLogins.of(env.find("MOLECULE_REGISTRY_AUTH")),
                Tier.fromEnv(env),
                env.seconds("MOLECULE_HEARTBEAT_SECONDS", 30),
                env.seconds("MOLECULE_STOP_SECONDS", 5));
    }

    private static Path socket(String host) {
        if (!host.startsWith("unix:///")) {
            throw new IllegalArgumentException("DOCKER_HOST must be unix:// and the absolute path of a socket");
        }
        return Path.of(host.substring("unix://".length()));
    }

    private static String word(Env env, String name, String fallback) {
        String value = env.text(name, fallback);
        if (!value.matches("[a-zA-Z0-9][a-zA-Z0-9_.-]{0,62}")) {
            throw new IllegalArgumentException(
                    name + " must be letters, digits, dots, dashes or underscores, at most 63");
        }
        return value;
    }

    private static @Nullable String imagePlatform(@Nullable String value) {
        if (value != null && !value.matches("[a-z0-9]+/[a-z0-9]+(/[a-z0-9.]+)?")) {
            throw new IllegalArgumentException(
                    "MOLECULE_IMAGE_PLATFORM must be a system and an architecture, such as linux/amd64");
        }
        return value;
    }

    private static boolean apart(Env env, boolean inNetwork) {
        boolean production = Environment.of(env.find("MOLECULE_ENV")) == Environment.PRODUCTION;
        return switch (env.text("MOLECULE_DOCKER_ICC", production && !inNetwork ? "off" : "on")) {
            case "on" -> false;
            case "off" -> {
                if (inNetwork) {
                    throw new IllegalArgumentException(
                            "MOLECULE_DOCKER_ICC=off would keep the platform from agents that it dials in their network");
                }
                yield true;
            }
            default -> throw new IllegalArgumentException("MOLECULE_DOCKER_ICC must be on or off");
        };
    }

    private static boolean inNetwork(String dial) {
        return switch (dial) {
            case "network" -> true;
            case "published" -> false;
            default -> throw new IllegalArgumentException("MOLECULE_DOCKER_DIAL must be published or network");
        };
    }
}
