package ai.molecule.common.cluster;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;

/** Which of this machine's addresses a name means: in a container of several networks, the one where the name exists. */
final class LocalAddress {

    private LocalAddress() {}

    /**
     * @param host an address, or a name that all replicas may share
     * @throws IllegalArgumentException when the name means no address of this machine
     */
    static String of(String host) {
        try {
            for (var address : InetAddress.getAllByName(host)) {
                if (address.isLoopbackAddress() || NetworkInterface.getByInetAddress(address) != null) {
                    return address.getHostAddress();
                }
            }
        } catch (UnknownHostException | SocketException unknown) {
            // same answer as for another machine's
        }
        throw new IllegalArgumentException("MOLECULE_CLUSTER_HOST %s is no address of this machine".formatted(host));
    }
}
