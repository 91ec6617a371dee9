package ai.molecule.proxy.a2a.messages;

import ai.molecule.common.ApiError;
import ai.molecule.proxy.a2a.admission.Admission.Admitted;
import ai.molecule.proxy.bridge.Bridge;
import ai.molecule.proxy.protocol.MessageEnvelope;
import ai.molecule.proxy.protocol.Protocol;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;

/**
 * What the platform sends by itself, which it words in 0.3, as its agent reads it. Answers are left as they come: whoever reads them reads both
 * versions.
 */
record InAgentsVersion(MessageEnvelope envelope, Map<String, String> headers) {

    /** What was put into 1.0 when it was taken in stays so. Fails with INVALID for what cannot be told in the agent's version. */
    static InAgentsVersion of(
            MessageEnvelope envelope, Map<String, String> headers, Admitted admitted, Supplier<UUID> ids) {
        if (!admitted.route().only10() || Protocol.V1_0.owns(envelope.method())) {
            return new InAgentsVersion(envelope, headers);
        }
        return switch (Bridge.of(envelope.bytes(), headers, Protocol.V0_3, admitted.target())) {
            case Bridge.Crossing.Made made ->
                new InAgentsVersion(
                        MessageEnvelope.normalise(made.bridge().request(), ids),
                        made.bridge().headers());
            case Bridge.Crossing.Refused refused ->
                throw ApiError.invalid("the agent speaks A2A 1.0 alone, and the message cannot be told in it");
        };
    }
}
