package ai.molecule.provisioner.backend;

import ai.molecule.common.bus.registry.ManagedWorkspace;

/**
 * One start: for whom, where it listens, and the token it proves itself with.
 *
 * @param workspace as the registry described it; its incarnation is the start's
 * @param port where the agent shall listen
 * @param token the agent's bearer in clear
 */
public record Launch(ManagedWorkspace workspace, int port, String token) {

    /** Without the token: a launch may end up in a log. */
    @Override
    public String toString() {
        return "Launch[workspace=%s, incarnation=%d, port=%d]".formatted(workspace.id(), workspace.incarnation(), port);
    }
}
