package ai.molecule.registry.lifecycle;

import ai.molecule.common.config.Env;

/**
 * How long rows stay that nobody works with any more.
 *
 * @param removed {@code REMOVED_RETENTION_DAYS}, default 30, 0 for ever: workspaces after their removal, with all that they keep
 * @param approvals {@code APPROVAL_RETENTION_DAYS}, default 400, 1 to 3,650: approvals after they were decided or expired
 */
public record RetentionDays(int removed, int approvals) {

    /** Fails with {@link IllegalArgumentException} for what is no such number. */
    public static RetentionDays fromEnv(Env env) {
        return new RetentionDays((int) env.integer("REMOVED_RETENTION_DAYS", 30, 0, 3_650), (int)
                env.integer("APPROVAL_RETENTION_DAYS", 400, 1, 3_650));
    }
}
