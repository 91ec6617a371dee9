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
            // a name that does not resolve is refused below, as one of another machine is
        }
        throw new IllegalArgumentException("MOLECULE_CLUSTER_HOST %s is no address of this machine".formatted(host));
    }
}
