package ai.molecule.common.auth;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whom a session or a token of a person's proves, and what that credential opens at most.
 *
 * @param login what the person signs in with; never another's, so that it can stand in the record
 * @param name as the person is called
 * @param organisation the role for the organisation; null for somebody of a branch only
 * @param there the role at the workspace that was asked about; null when none was, or the person has none there
 * @param branches the workspaces at whose and below whose the person has a role; empty where {@code organisation} says all
 * @param credential as the record shows it: {@code session:<begin of its hash>} or {@code token:<prefix>}
 */
public record Person(
        UUID id,
        String login,
        String name,
        @Nullable Role organisation,
        @Nullable Role there,
        List<UUID> branches,
        String credential) {

    private static final String SESSION = "session:";

    /** Whether it sits in front of a page, and does not come by a token that was lent to a program. */
    public boolean bySession() {
        return credential.startsWith(SESSION);
    }

    /** Whether it has a role for anything at all. */
    public boolean hasAnyRole() {
        return organisation != null || !branches.isEmpty();
    }
}
