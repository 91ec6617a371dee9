package ai.molecule.registry.registrations;

import ai.molecule.common.config.Door;
import ai.molecule.common.config.Environment;
import ai.molecule.common.config.PlatformConfig;

/**
 * Whom a registration without a token of its own makes a workspace, or gives the first token of one (docs/operations.md).
 *
 * @param strangers whether an unknown id becomes a workspace
 * @param careful in production: strangers stay unadmitted, an agent of ours gets its token from its start only, and any other workspace
 *     that is there already gets its first one, or the next first one, from an administrator only
 */
public record Enrolment(boolean strangers, boolean careful) {

    public static Enrolment of(PlatformConfig platform) {
        return new Enrolment(platform.isOpen(Door.REGISTRATION), platform.environment() == Environment.PRODUCTION);
    }
}
