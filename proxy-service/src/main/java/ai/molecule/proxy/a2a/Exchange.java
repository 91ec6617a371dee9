package ai.molecule.proxy.a2a;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One message of one sender to one workspace, for everything that is said about it.
 *
 * @param rowId of the activity row that tells how it ended, when that may be written more than once; null for any
 */
record Exchange(
        UUID target,
        String targetName,
        Sender sender,
        Envelope envelope,
        @Nullable UUID rowId) {

    static Exchange of(Admission.Admitted admitted, Envelope envelope) {
        return of(admitted, envelope, null);
    }

    static Exchange of(Admission.Admitted admitted, Envelope envelope, @Nullable UUID rowId) {
        String name = admitted.route().name();
        return new Exchange(
                admitted.target(),
                name.isEmpty() ? admitted.target().toString() : name,
                admitted.sender(),
                envelope,
                rowId);
    }
}
