package ai.molecule.common.net;

import java.net.Inet4Address;
import java.net.InetAddress;

/**
 * Which network addresses the platform registers and dials on a stranger's word (docs/wire/registry.md).
 *
 * @param loopback whether this machine may be named
 * @param privateRanges whether 10/8, 172.16/12, 192.168/16 and fd00::/8 may
 */
public record AddressRules(boolean loopback, boolean privateRanges) {

    /** For dialling: development may reach this machine and its networks, SaaS the private ones. */
    public static AddressRules forDialling(boolean development, boolean saas) {
        return new AddressRules(development, development || saas);
    }

    /** For registration: never a literal loopback address, private ranges in SaaS only. */
    public static AddressRules forRegistration(boolean saas) {
        return new AddressRules(false, saas);
    }

    public boolean allows(InetAddress address) {
        if (address.isLoopbackAddress()) {
            return loopback;
        }
        if (address.isAnyLocalAddress() || address.isLinkLocalAddress() || address.isMulticastAddress()) {
            return false;
        }
        return address instanceof Inet4Address ? allowsV4(address.getAddress()) : allowsV6(address.getAddress());
    }

    private boolean allowsV4(byte[] bytes) {
        int a = bytes[0] & 0xff;
        int b = bytes[1] & 0xff;
        int c = bytes[2] & 0xff;
        boolean never = a == 0
                || a >= 240
                || (a == 100 && b >= 64 && b < 128) // carrier-grade NAT
                || (a == 192 && b == 0 && c == 2)
                || (a == 198 && b == 51 && c == 100)
                || (a == 203 && b == 0 && c == 113);
        boolean inside = a == 10 || (a == 172 && b >= 16 && b < 32) || (a == 192 && b == 168);
        return !never && (privateRanges || !inside);
    }

    private boolean allowsV6(byte[] bytes) {
        int first = bytes[0] & 0xff;
        boolean documentation =
                first == 0x20 && (bytes[1] & 0xff) == 0x01 && (bytes[2] & 0xff) == 0x0d && (bytes[3] & 0xff) == 0xb8;
        if (documentation || first == 0xfc) {
            return false;
        }
        if (first == 0x00 || (first == 0x20 && bytes[1] == 0x02)) {
            return false; // compatible, NAT64 and 6to4 forms carry an IPv4 address past the rules above
        }
        return first != 0xfd || privateRanges;
    }
}
