package ai.molecule.common.net;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.stream.Stream;

/** A range of addresses of one family, written {@code 10.0.0.0/8}. */
record Block(InetAddress first, int bits) {

    static Block of(String text) {
        String[] parts = text.split("/", 2);
        try {
            return new Block(InetAddress.getByName(parts[0]), Integer.parseInt(parts[1]));
        } catch (UnknownHostException notALiteral) {
            throw new IllegalArgumentException(text, notALiteral);
        }
    }

    static List<Block> all(String... texts) {
        return Stream.of(texts).map(Block::of).toList();
    }

    boolean contains(InetAddress address) {
        byte[] mine = first.getAddress();
        byte[] other = address.getAddress();
        if (mine.length != other.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit += 8) {
            int mask = bits - bit >= 8 ? 0xff : 0xff << (8 - (bits - bit));
            if (((mine[bit / 8] ^ other[bit / 8]) & mask & 0xff) != 0) {
                return false;
            }
        }
        return true;
    }
}
