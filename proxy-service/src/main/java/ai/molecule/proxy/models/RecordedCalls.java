package ai.molecule.proxy.models;

import ai.molecule.common.models.ModelProtocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a folder of cassettes holds, for whoever wants the same asked of another model: each answer that was recorded is one call. Counting
 * tokens and embeddings are left out, because nobody reads what they answer. At most 10,000 cassettes of 32 MiB, as when they are replayed.
 */
public final class RecordedCalls {

    /**
     * One call.
     *
     * @param model by the provider's name for it
     * @param request JSON that can be sent: in the place of each ordinal stands something of its kind, the same wherever it was the same
     */
    public record Call(
            String provider, String model, ModelOperation operation, String request, SpokenAnswers.Spoken answer) {}

    private static final Pattern ORDINAL = Pattern.compile("<(time|id|port|path)-(\\d{1,6})>");
    private static final Pattern MODEL = Pattern.compile("\"model\"\\s*:\\s*\"([^\"]{1,200})\"");
    private static final long TIME_0 = 1_700_000_000L;
    private static final int PORT_0 = 10_000;

    private RecordedCalls() {}

    /** In the order in which they were first asked, as far as the folder knows. {@link IllegalArgumentException} says in one sentence which file cannot be read. */
    public static List<Call> in(Path folder) throws IOException {
        List<Call> calls = new ArrayList<>();
        for (Path file : files(folder)) {
            if (Files.size(file) > CassetteShelf.FILE_MAX_BYTES) {
                throw new IllegalArgumentException(file.getFileName() + " is larger than a cassette may be");
            }
            try {
                var cassette = Cassette.read(Files.readString(file));
                operationOf(cassette.operation())
                        .filter(operation -> operation.billed() && operation != ModelOperation.EMBEDDINGS)
                        .ifPresent(operation ->
                                cassette.answers().forEach(answer -> calls.add(call(cassette, operation, answer))));
            } catch (IllegalArgumentException malformed) {
                throw new IllegalArgumentException(
                        "cassette %s cannot be read: %s".formatted(file.getFileName(), malformed.getMessage()),
                        malformed);
            }
        }
        return calls;
    }

    private static List<Path> files(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            var found = files.filter(file -> file.toString().endsWith(".txt"))
                    .limit(CassetteShelf.CASSETTES_MAX + 1L)
                    .toList();
            if (found.size() > CassetteShelf.CASSETTES_MAX) {
                throw new IllegalArgumentException("the folder holds more than 10000 cassettes");
            }
            return found.stream()
                    .sorted(Comparator.comparingLong(
                                    (Path file) -> file.toFile().lastModified())
                            .thenComparing(Path::getFileName))
                    .toList();
        }
    }

    private static Optional<ModelOperation> operationOf(String path) {
        return Arrays.stream(ModelOperation.values())
                .filter(operation -> operation.protocol() == ModelProtocol.GOOGLE
                        ? path.startsWith("/models/") && path.endsWith(operation.verb())
                        : path.equals(operation.urlAt("", "")))
                .findFirst();
    }

    private static Call call(Cassette cassette, ModelOperation operation, Cassette.Answer answer) {
        String body = answer.pieces().stream().map(Cassette.Piece::text).collect(Collectors.joining());
        boolean google = operation.protocol() == ModelProtocol.GOOGLE;
        Matcher named = MODEL.matcher(cassette.request());
        String path = cassette.operation();
        String model = google
                ? path.substring(
                        "/models/".length(), path.length() - operation.verb().length())
                : named.find() ? named.group(1) : "";
        return new Call(
                cassette.provider(),
                model,
                operation,
                askable(cassette.request()),
                SpokenAnswers.of(operation.protocol(), answer.status(), answer.type(), body));
    }

    /** An ordinal may have stood for a number as well as within a text, so a time and a port are digits. */
    private static String askable(String request) {
        return ORDINAL.matcher(request).replaceAll(found -> {
            int nth = Integer.parseInt(found.group(2));
            return switch (found.group(1)) {
                case "time" -> String.valueOf(TIME_0 + nth);
                case "port" -> String.valueOf(PORT_0 + nth);
                case "id" -> "call_%08d".formatted(nth);
                default -> "/work/recorded/" + nth;
            };
        });
    }
}
