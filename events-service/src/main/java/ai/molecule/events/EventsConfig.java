package ai.molecule.events;

import ai.molecule.common.config.Env;
import ai.molecule.common.config.PlatformConfig;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Everything events-service reads from its environment, read once at start.
 *
 * @param port {@code EVENTS_PORT}, default 8082; 0 lets the system choose
 * @param publicUrl {@code EXTERNAL_PLATFORM_URL}: where clients reach the platform; null means as the request said
 * @param frontDoorUrl that, else {@code PLATFORM_URL}: what agents in production are told instead of each other's own addresses
 * @param activityRetentionDays {@code ACTIVITY_RETENTION_DAYS}, default 7, 1 to 366: activity of older days is dropped
 * @param activityCleanupInterval {@code ACTIVITY_CLEANUP_INTERVAL_HOURS}, default 6; more than 12 counts as 12, because it also makes room for the days to come
 * @param activityBytesPerDay {@code ACTIVITY_MIB_PER_DAY}, default 256: what the activity of one workspace may take up of a day
 * @param activityReportsPerMinute {@code ACTIVITY_REPORTS_PER_MINUTE}, default 600: reports and notifications of one workspace
 * @param eventRetention {@code EVENT_RETENTION_DAYS}, default 90, 1 to 3,650: how far back recorded events and time travel reach
 * @param auditRetention {@code AUDIT_RETENTION_DAYS}, default 400, 1 to 3,650: how long it is kept who did what
 * @param socketsPerAddress {@code SOCKETS_PER_ADDRESS}, default 2,000: sockets and streams that one address may hold on a replica
 * @param socketsPerCredential {@code SOCKETS_PER_CREDENTIAL}, default 256: those of one workspace, or of one admin or org token
 * @param platform what every service reads
 */
public record EventsConfig(
        int port,
        @Nullable String publicUrl,
        @Nullable String frontDoorUrl,
        int activityRetentionDays,
        Duration activityCleanupInterval,
        long activityBytesPerDay,
        int activityReportsPerMinute,
        Duration eventRetention,
        Duration auditRetention,
        int socketsPerAddress,
        int socketsPerCredential,
        PlatformConfig platform) {

    /** Reads and checks every variable; {@link IllegalArgumentException} says what is wrong in one sentence. */
    public static EventsConfig fromEnv(Map<String, String> variables) {
        var env = new Env(variables);
        return new EventsConfig(
                env.port("EVENTS_PORT", 8082),
                env.find("EXTERNAL_PLATFORM_URL"),
                env.find("EXTERNAL_PLATFORM_URL") == null
                        ? env.find("PLATFORM_URL")
                        : env.find("EXTERNAL_PLATFORM_URL"),
                (int) env.integer("ACTIVITY_RETENTION_DAYS", 7, 1, 366),
                Duration.ofHours(Math.min(env.integer("ACTIVITY_CLEANUP_INTERVAL_HOURS", 6, 1, 8_760), 12)),
                env.integer("ACTIVITY_MIB_PER_DAY", 256, 1, 1 << 20) << 20,
                (int) env.integer("ACTIVITY_REPORTS_PER_MINUTE", 600, 1, 1_000_000),
                Duration.ofDays(env.integer("EVENT_RETENTION_DAYS", 90, 1, 3_650)),
                Duration.ofDays(env.integer("AUDIT_RETENTION_DAYS", 400, 1, 3_650)),
                (int) env.integer("SOCKETS_PER_ADDRESS", 2_000, 1, 20_000),
                (int) env.integer("SOCKETS_PER_CREDENTIAL", 256, 1, 20_000),
                PlatformConfig.fromEnv(variables));
    }
}
