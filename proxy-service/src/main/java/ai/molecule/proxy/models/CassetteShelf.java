package ai.molecule.proxy.models;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** The cassettes of one folder, all of them in memory. */
final class CassetteShelf {

    static final int CASSETTES_MAX = 10_000;
    static final int FILE_MAX_BYTES = 32 << 20;
    private static final int DIFFERENCES_SHOWN = 6;
    private static final int LINE_SHOWN_CHARS = 160;
    private static final int SAME_SHOWN_CHARS = 40;

    private final Path folder;
    private final Map<String, Cassette> cassettes = new ConcurrentHashMap<>();
    private final Map<String, Integer> played = new HashMap<>();

    private CassetteShelf(Path folder) {
        this.folder = folder;
    }

    /** Blocks. {@link IllegalArgumentException} says what is wrong in one sentence. */
    static CassetteShelf open(Path folder) {
        var shelf = new CassetteShelf(folder);
        try {
            Files.createDirectories(folder);
            try (var files = Files.list(folder)) {
                for (Path file : files.filter(file -> file.toString().endsWith(".txt"))
                        .limit(CASSETTES_MAX + 1L)
                        .toList()) {
                    shelf.load(file);
                }
            }
        } catch (IOException unreadable) {
            throw new IllegalArgumentException("MOLECULE_CASSETTES must name a folder: " + unreadable, unreadable);
        }
        return shelf;
    }

    private void load(Path file) throws IOException {
        if (cassettes.size() >= CASSETTES_MAX || Files.size(file) > FILE_MAX_BYTES) {
            throw new IllegalArgumentException(
                    "MOLECULE_CASSETTES holds more than %d cassettes, or one of over 32 MiB: %s"
                            .formatted(CASSETTES_MAX, file.getFileName()));
        }
        try {
            var cassette = Cassette.read(Files.readString(file));
            cassettes.put(cassette.key(), cassette);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(
                    "cassette %s cannot be read: %s".formatted(file.getFileName(), malformed.getMessage()), malformed);
        }
    }

    /** The next answer to this request; the last one again when all were given. */
    synchronized Optional<Cassette.Answer> next(String key) {
        var cassette = cassettes.get(key);
        if (cassette == null || cassette.answers().isEmpty()) {
            return Optional.empty();
        }
        int nth = played.merge(key, 1, Integer::sum) - 1;
        return Optional.of(
                cassette.answers().get(Math.min(nth, cassette.answers().size() - 1)));
    }

    /** Keeps one more answer, as a file that is there as a whole or not at all. Blocks. */
    synchronized void keep(Cassette empty, Cassette.Answer answer) {
        if (cassettes.size() >= CASSETTES_MAX && !cassettes.containsKey(empty.key())) {
            throw new IllegalStateException("there are %d cassettes already".formatted(CASSETTES_MAX));
        }
        var cassette = cassettes.getOrDefault(empty.key(), empty).with(answer);
        try {
            Path part = Files.createTempFile(folder, ".cassette", ".part");
            Files.writeString(part, cassette.write());
            Files.move(
                    part,
                    folder.resolve(cassette.fileName()),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException unwritable) {
            throw new UncheckedIOException(unwritable);
        }
        cassettes.put(cassette.key(), cassette);
    }

    /** Why there is none, for a person: which recording is nearest and where it differs. */
    String missing(String provider, String operation, CanonicalRequest request) {
        List<String> lines = request.text().lines().toList();
        return cassettes.values().stream()
                .filter(other ->
                        other.provider().equals(provider) && other.operation().equals(operation))
                .min(Comparator.comparingInt(
                        other -> distance(lines, other.request().lines().toList())))
                .map(nearest -> "no recording matches this request to %s; the nearest, %s, differs:\n%s"
                        .formatted(
                                provider,
                                nearest.fileName(),
                                difference(nearest.request().lines().toList(), lines)))
                .orElseGet(() ->
                        "no recording matches this request to %s, and there is none of %s: record it first (MOLECULE_MODELS=record)"
                                .formatted(provider, operation));
    }

    private static int distance(List<String> one, List<String> other) {
        Map<String, Integer> counts = new HashMap<>();
        one.forEach(line -> counts.merge(line, 1, Integer::sum));
        other.forEach(line -> counts.merge(line, -1, Integer::sum));
        return counts.values().stream().mapToInt(Math::abs).sum();
    }

    /** The lines between what both begin and what both end with. */
    private static String difference(List<String> recorded, List<String> asked) {
        int begin = 0;
        while (begin < Math.min(recorded.size(), asked.size())
                && recorded.get(begin).equals(asked.get(begin))) {
            begin++;
        }
        int end = 0;
        while (end < Math.min(recorded.size(), asked.size()) - begin
                && recorded.get(recorded.size() - 1 - end).equals(asked.get(asked.size() - 1 - end))) {
            end++;
        }
        var was = recorded.subList(begin, recorded.size() - end);
        var is = asked.subList(begin, asked.size() - end);
        int from = was.isEmpty() || is.isEmpty() ? 0 : sameChars(was.getFirst(), is.getFirst());
        return "line %d:\n%s%s".formatted(begin + 1, shown("- ", was, from), shown("+ ", is, from));
    }

    private static int sameChars(String one, String other) {
        int same = 0;
        while (same < Math.min(one.length(), other.length()) && one.charAt(same) == other.charAt(same)) {
            same++;
        }
        return same;
    }

    /** @param from where in the first line the difference begins: a system prompt is one line, and mostly the same */
    private static String shown(String mark, List<String> lines, int from) {
        var out = new StringBuilder();
        lines.stream()
                .limit(DIFFERENCES_SHOWN)
                .forEach(line -> out.append(mark)
                        .append(around(line, out.length() > mark.length() ? 0 : from))
                        .append('\n'));
        if (lines.size() > DIFFERENCES_SHOWN) {
            out.append(mark)
                    .append("… ")
                    .append(lines.size() - DIFFERENCES_SHOWN)
                    .append(" more\n");
        }
        return out.toString();
    }

    private static String around(String line, int from) {
        int begin = Math.max(0, Math.min(from, line.length()) - SAME_SHOWN_CHARS);
        int end = Math.min(line.length(), begin + LINE_SHOWN_CHARS);
        return (begin > 0 ? "…" : "") + line.substring(begin, end) + (end < line.length() ? "…" : "");
    }

    @Override
    public String toString() {
        return "CassetteShelf" + Arrays.asList(folder);
    }
}
