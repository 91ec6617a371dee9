package ai.molecule.events.chats;

import ai.molecule.common.auth.Person;
import ai.molecule.common.auth.Role;
import ai.molecule.common.bus.Bus;
import ai.molecule.common.bus.registry.VerifyToken;
import io.vertx.core.Future;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a person at a messenger may at this moment, by the registry's word: as for a bearer that is shown. */
record Rights(Bus bus) {

    /**
     * @param known false where the person was shut out, or the token revoked: then nobody is known there any more
     * @param role at the workspace, or for the organisation where none was asked about; null for none
     */
    record Standing(boolean known, @Nullable Role role) {

        boolean covers(Role needed) {
            return role != null && role.covers(needed);
        }
    }

    /** @param workspace null for the organisation */
    Future<Standing> of(Chat chat, @Nullable UUID workspace) {
        return bus.call(VerifyToken.CONTRACT, new VerifyToken(chat.tokenHash(), workspace))
                .map(verdict -> {
                    @Nullable Person person = verdict.person();
                    return person == null
                            ? new Standing(false, null)
                            : new Standing(true, workspace == null ? person.organisation() : person.there());
                });
    }
}
