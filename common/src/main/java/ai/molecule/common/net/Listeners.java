package ai.molecule.common.net;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** Who listens at ports of this machine, as Linux tells. */
public final class Listeners {

    /** @param ports how many of a range */
    public record Most(long uid, long ports) {}

    private Listeners() {}

    /** The user that listens at most ports of a range, both ends included; empty where nobody does, or nobody can tell. */
    public static Optional<Most> most(int first, int last) {
        return most(Path.of("/proc/self/net"), first, last);
    }

    /** @param sockets a folder with the files {@code tcp} and {@code tcp6} */
    static Optional<Most> most(Path sockets, int first, int last) {
        try {
            return table(sockets).listenersIn(first, last).entrySet().stream()
                    .max(Map.Entry.comparingByValue())
                    .map(user -> new Most(user.getKey(), user.getValue()));
        } catch (IOException unreadable) {
            return Optional.empty();
        }
    }

    /** All sockets now. A machine without IPv6 has no second file. */
    static SocketTable table(Path sockets) throws IOException {
        try (var tcp = lines(sockets.resolve("tcp"));
                var tcp6 = lines(sockets.resolve("tcp6"))) {
            return SocketTable.of(Stream.concat(tcp, tcp6));
        }
    }

    private static Stream<String> lines(Path file) throws IOException {
        return Files.exists(file) ? Files.lines(file, StandardCharsets.ISO_8859_1) : Stream.empty();
    }
}
