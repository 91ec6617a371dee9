package ai.molecule.common.cluster;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.eventbus.EventBusOptions;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.net.PemKeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Both ends of every event bus connection show a certificate that an authority of the cluster signed. Host names are not
 * compared: addresses of members change, and a signed certificate is what makes a member.
 */
final class MutualTls {

    /** A member that just started on a busy machine has taken more than 5. */
    private static final int HANDSHAKE_SECONDS = 10;

    private MutualTls() {}

    static void require(EventBusOptions options, ClusterCertificate certificate) {
        options.setSsl(true)
                .setTrustAll(false) // the event bus's own default is true
                .setClientAuth(ClientAuth.REQUIRED)
                .setKeyCertOptions(new PemKeyCertOptions()
                        .setCertValue(Buffer.buffer(certificate.chain()))
                        .setKeyValue(Buffer.buffer(certificate.key())))
                .setTrustOptions(new PemTrustOptions().addCertValue(Buffer.buffer(certificate.authorities())))
                .setSslHandshakeTimeout(HANDSHAKE_SECONDS)
                .setSslHandshakeTimeoutUnit(TimeUnit.SECONDS)
                .setEnabledSecureTransportProtocols(Set.of("TLSv1.3"));
    }
}
