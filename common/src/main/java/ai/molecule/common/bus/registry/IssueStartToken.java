package ai.molecule.common.bus.registry;

import ai.molecule.common.bus.Contract;
import java.util.UUID;

/**
 * A new token bound to an incarnation, for the agent about to be started. Called by the provisioner. Each call issues another
 * token and revokes those bound to the same incarnation, so a repeat after a time-out leaves one. Tokens of older incarnations
 * stay valid for 60 s. Fails with CONFLICT when the incarnation is no longer current.
 */
public record IssueStartToken(UUID workspaceId, int incarnation) {

    public static final Contract<IssueStartToken, Issued> CONTRACT =
            Contract.of("registry.issue-start-token", IssueStartToken.class, Issued.class);

    /** The token in clear; only its hash is stored. */
    public record Issued(String token) {

        @Override
        public String toString() {
            return "Issued[]"; // a token never reaches a log
        }
    }
}
