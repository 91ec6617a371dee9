package ai.molecule.common.net;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.List;

/**
 * Which network addresses the platform registers and dials on a stranger's word (docs/wire/registry.md). To be asked about resolved
 * addresses: what a name or an odd way to write a number means is then already decided.
 *
 * @param loopback whether this machine may be named
 * @param privateRanges whether 10/8, 172.16/12, 192.168/16 and fd00::/8 may
 * @param opened of these the ones that may all the same
 */
public record AddressRules(boolean loopback, boolean privateRanges, List<Block> opened) {

    private static final List<Block> THIS_MACHINE = Block.all("127.0.0.0/8", "::1/128");

    /** Where clouds tell a machine its credentials, outside link-local. */
    private static final List<Block> METADATA = Block.all("168.63.129.16/32", "fd00:ec2::254/128", "fd20:ce::254/128");

    private static final List<Block> PRIVATE = Block.all("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fd00::/8");

    /** The rest of IANA's special-purpose registries, multicast and class E (November 2026). */
    private static final List<Block> SPECIAL = Block.all(
            "0.0.0.0/8",
            "100.64.0.0/10", // carrier-grade NAT
            "169.254.0.0/16",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "198.18.0.0/15", // benchmarking
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3", // multicast, reserved, broadcast
            "2001::/23", // Teredo, benchmarking, ORCHID
            "2001:db8::/32",
            "2002::/16", // 6to4, which carries an IPv4 address past the rules above
            "3fff::/20");

    /** Outside it IPv6 has only special addresses: unspecified, mapped, compatible, NAT64, link- and site-local, multicast. */
    private static final Block GLOBAL_V6 = Block.of("2000::/3");

    public AddressRules(boolean loopback, boolean privateRanges) {
        this(loopback, privateRanges, List.of());
    }

    /** The same with private networks that an operator opens, each such as {@code 10.1.0.0/16}. */
    public AddressRules opening(List<String> networks) {
        return new AddressRules(
                loopback, privateRanges, networks.stream().map(Block::of).toList());
    }

    /** {@link IllegalArgumentException} says which is no private network: whatever else is refused is refused to all. */
    public static List<String> checkNetworks(String variable, List<String> networks) {
        for (String network : networks) {
            boolean isPrivate;
            try {
                var block = Block.of(network);
                isPrivate = PRIVATE.stream()
                        .anyMatch(each -> each.bits() <= block.bits()
                                && block.bits() <= block.first().getAddress().length * 8
                                && each.contains(block.first()));
            } catch (IllegalArgumentException | IndexOutOfBoundsException none) {
                isPrivate = false;
            }
            if (!isPrivate) {
                throw new IllegalArgumentException(
                        "%s: %s is no private network such as 10.1.0.0/16".formatted(variable, network));
            }
        }
        return List.copyOf(networks);
    }

    /** For dialling: development may reach this machine and its networks, SaaS the private ones. */
    public static AddressRules forDialling(boolean development, boolean saas) {
        return new AddressRules(development, development || saas);
    }

    /** For registration: never a literal loopback address, private ranges in SaaS only. */
    public static AddressRules forRegistration(boolean saas) {
        return new AddressRules(false, saas);
    }

    public boolean allows(InetAddress address) {
        if (isIn(THIS_MACHINE, address)) {
            return loopback;
        }
        if (isIn(METADATA, address)) {
            return false;
        }
        if (isIn(PRIVATE, address)) {
            return privateRanges || isIn(opened, address);
        }
        boolean local = address instanceof Inet6Address && !GLOBAL_V6.contains(address);
        return !local && !isIn(SPECIAL, address);
    }

    private static boolean isIn(List<Block> blocks, InetAddress address) {
        return blocks.stream().anyMatch(block -> block.contains(address));
    }
}
