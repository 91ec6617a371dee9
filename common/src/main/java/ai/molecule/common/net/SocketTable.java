package ai.molecule.common.net;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
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

    private static final String LOOPBACK = words(0x7f000001);
    private static final String MAPPED = words(0, 0, 0x0000ffff);
    private static final String ANY = words(0);
    private static final String ANY_6 = words(0, 0, 0, 0);

    /** Where somebody listens who is connected to at 127.0.0.1, the one whom the system prefers first. */
    private static final List<String> LISTENERS = List.of(LOOPBACK, MAPPED + LOOPBACK, ANY, MAPPED + ANY, ANY_6);

    private record Row(String local, String remote, boolean listening, long uid) {}

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
                        Long.parseLong(columns[UID])));
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
        for (String address : LISTENERS) {
            String local = address + port(port);
            for (Row row : rows) {
                if (row.listening && row.local.equals(local)) {
                    return OptionalLong.of(row.uid);
                }
            }
        }
        return OptionalLong.empty();
    }

    /** At how many ports of a range each user listens, whatever the address. */
    Map<Long, Long> listenersIn(int first, int last) {
        record At(long uid, int port) {}
        return rows.stream()
                .filter(row -> row.listening)
                .map(row -> new At(row.uid, Integer.parseInt(row.local.substring(row.local.indexOf(':') + 1), 16)))
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
