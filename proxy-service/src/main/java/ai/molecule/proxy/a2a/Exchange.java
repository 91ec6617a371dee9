package ai.molecule.proxy.a2a;

import java.util.UUID;

/** One message of one sender to one workspace, for everything that is said about it. */
record Exchange(UUID target, String targetName, Sender sender, Envelope envelope) {

    static Exchange of(Admission.Admitted admitted, Envelope envelope) {
        String name = admitted.route().name();
        return new Exchange(
                admitted.target(), name.isEmpty() ? admitted.target().toString() : name, admitted.sender(), envelope);
    }
}
