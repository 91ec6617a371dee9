package ai.molecule.common.net;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Which users' sockets are at 127.0.0.1, as Linux tells in {@code /proc/net/tcp} and {@code /proc/net/tcp6}: a row each with addresses in
 * hexadecimal, words in the order of the machine, ports in that of the network, the state and the user.
 */
final class SocketTable {

    private static final String LISTENING = "0A";
    private static final int ADDRESS = 1;
    private static final int REMOTE = 2;
    private static final int STATE = 3;
    private static final int UID = 7;
    private static final int INODE = 9;

    private static final String LOOPBACK = words(0x7f000001);
    private static final String MAPPED = words(0, 0, 0x0000ffff);
    private static final String ANY = words(0);
    private static final String ANY_6 = words(0, 0, 0, 0);

    /** Where somebody listens who is connected to at 127.0.0.1, the one whom the system prefers first. */
    private static final List<String> LISTENERS = List.of(LOOPBACK, MAPPED + LOOPBACK, ANY, MAPPED + ANY, ANY_6);

    private record Row(String local, String remote, boolean listening, long uid, long inode) {

        int port() {
            return Integer.parseInt(local.substring(local.indexOf(':') + 1), 16);
        }
    }

    /**
     * Somebody who listens and is connected to at 127.0.0.1.
     *
     * @param inode of the socket, as {@code /proc/<pid>/fd} names it; 0 where no row tells
     */
    record Listener(int port, long uid, long inode) {}

    private final List<Row> rows;

    private SocketTable(List<Row> rows) {
        this.rows = rows;
    }

    /** Rows that are none are left out, the headings among them. */
    static SocketTable of(Stream<String> lines) {
        List<Row> rows = new ArrayList<>();
        lines.forEach(line -> {
            String[] columns = line.strip().split("\\s+");
            if (columns.length > UID && columns[UID].matches("\\d{1,10}")) {
                rows.add(new Row(
                        columns[ADDRESS],
                        columns[REMOTE],
                        columns[STATE].equals(LISTENING),
                        Long.parseLong(columns[UID]),
                        columns.length > INODE && columns[INODE].matches("\\d{1,18}")
                                ? Long.parseLong(columns[INODE])
                                : 0));
            }
        });
        return new SocketTable(rows);
    }

    /**
     * Whose the other end of a connection within 127.0.0.1 is: the user that took it, and while nobody has, the one that listens there.
     *
     * @param port where was connected to
     * @param from our own port
     * @return empty where no row tells
     */
    OptionalLong ownerOf(int port, int from) {
        for (String prefix : List.of(LOOPBACK, MAPPED + LOOPBACK)) {
            String local = prefix + port(port);
            String remote = prefix + port(from);
            for (Row row : rows) {
                if (row.uid != 0 && row.local.equals(local) && row.remote.equals(remote)) {
                    return OptionalLong.of(row.uid);
                }
            }
        }
        return listenerAt(port).map(listener -> OptionalLong.of(listener.uid)).orElse(OptionalLong.empty());
    }

    /** Whom a connection to a port of 127.0.0.1 reaches. */
    Optional<Listener> listenerAt(int port) {
        for (String address : LISTENERS) {
            String local = address + port(port);
            for (Row row : rows) {
                if (row.listening && row.local.equals(local)) {
                    return Optional.of(new Listener(port, row.uid, row.inode));
                }
            }
        }
        return Optional.empty();
    }

    /** One of each port where somebody listens who is connected to at 127.0.0.1, by port. */
    List<Listener> listeners() {
        return rows.stream()
                .filter(row -> row.listening)
                .map(Row::port)
                .distinct()
                .sorted()
                .flatMap(port -> listenerAt(port).stream())
                .toList();
    }

    /** At how many ports of a range each user listens, whatever the address. */
    Map<Long, Long> listenersIn(int first, int last) {
        record At(long uid, int port) {}
        return rows.stream()
                .filter(row -> row.listening)
                .map(row -> new At(row.uid, row.port()))
                .filter(at -> at.port >= first && at.port <= last)
                .distinct()
                .collect(Collectors.groupingBy(At::uid, Collectors.counting()));
    }

    private static String port(int port) {
        return ":%04X".formatted(port);
    }

    private static String words(int... words) {
        var text = new StringBuilder();
        for (int word : words) {
            int shown = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN ? Integer.reverseBytes(word) : word;
            text.append("%08x".formatted(shown).toUpperCase(Locale.ROOT));
        }
        return text.toString();
    }
}
