package ai.molecule.runtime.fetch;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The addresses a page may come from: all public ones, and those that the operator lists. To be asked about resolved addresses.
 *
 * @param listed beside the public ones; never where clouds tell a machine its credentials
 */
record Networks(List<Block> listed) {

    /** Where clouds tell a machine its credentials. */
    private static final List<Block> METADATA =
            all("169.254.0.0/16", "168.63.129.16/32", "fd00:ec2::254/128", "fd20:ce::254/128", "fe80::/10");

    /** What is not public (IANA's special-purpose registries, November 2026). */
    private static final List<Block> SPECIAL = all(
            "0.0.0.0/8",
            "10.0.0.0/8",
            "100.64.0.0/10",
            "127.0.0.0/8",
            "172.16.0.0/12",
            "192.0.0.0/24",
            "192.0.2.0/24",
            "192.88.99.0/24",
            "192.168.0.0/16",
            "198.18.0.0/15",
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",
            "2001::/23",
            "2001:db8::/32",
            "2002::/16",
            "3fff::/20");

    private static final Block GLOBAL_V6 = Block.of("2000::/3");

    /** @param text networks such as {@code 10.1.0.0/16}, divided by commas; {@link IllegalArgumentException} names the one that is none */
    static Networks listedIn(String text) {
        List<Block> blocks = new ArrayList<>();
        Stream.of(text.split(",", -1))
                .map(String::strip)
                .filter(each -> !each.isEmpty())
                .forEach(each -> blocks.add(Block.of(each)));
        return new Networks(List.copyOf(blocks));
    }

    boolean allow(InetAddress address) {
        if (isIn(METADATA, address)) {
            return false;
        }
        boolean global = address.getAddress().length == 4 || GLOBAL_V6.contains(address);
        return isIn(listed, address) || global && !isIn(SPECIAL, address);
    }

    private static boolean isIn(List<Block> blocks, InetAddress address) {
        return blocks.stream().anyMatch(block -> block.contains(address));
    }

    private static List<Block> all(String... texts) {
        return Stream.of(texts).map(Block::of).toList();
    }

    /** A range of addresses of one family. */
    record Block(InetAddress first, int bits) {

        static Block of(String text) {
            String[] parts = text.split("/", -1);
            try {
                if (parts.length == 2
                        && parts[0].matches("[0-9.]+|[0-9a-fA-F:]*:[0-9a-fA-F:.]*")) { // a name would be looked up
                    var block = new Block(InetAddress.getByName(parts[0]), Integer.parseInt(parts[1]));
                    if (block.bits >= 0 && block.bits <= block.first.getAddress().length * 8) {
                        return block;
                    }
                }
            } catch (UnknownHostException | NumberFormatException none) {
                // told below
            }
            throw new IllegalArgumentException(text + " is no network such as 10.1.0.0/16");
        }

        boolean contains(InetAddress address) {
            byte[] mine = first.getAddress();
            byte[] other = address.getAddress();
            if (mine.length != other.length) {
                return false;
            }
            for (int bit = 0; bit < bits; bit++) {
                int mask = 0x80 >> bit % 8;
                if ((mine[bit / 8] & mask) != (other[bit / 8] & mask)) {
                    return false;
                }
            }
            return true;
        }
    }
}
