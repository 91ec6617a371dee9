package ai.molecule.proxy.push;

import ai.molecule.proxy.leases.Claim;
import ai.molecule.proxy.leases.Leased;
import ai.molecule.proxy.protocol.Protocol;
import io.vertx.core.buffer.Buffer;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A receiver in this replica's hands, with the oldest notification that it has not taken.
 *
 * @param workspaceId whose task it is
 * @param endsWith the hash of the credential that it ends with; null where it ends with its task alone
 * @param version in which it is told
 * @param n the notification's number, from 1
 * @param body null when there is none
 * @param attempts this one included
 * @param lost notifications before it that were given up
 */
record PushNotice(
        Claim held,
        UUID workspaceId,
        PushConfig config,
        @Nullable String endsWith,
        Protocol version,
        long n,
        @Nullable Buffer body,
        int attempts,
        int lost)
        implements Leased {}
