package ai.molecule.proxy.models;

import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One recorded request with its answers, in the order in which they were given. As a file it is text: a head, the request, and each answer
 * in its pieces, so that two of them can be read and compared.
 *
 * @param operation what was asked, such as {@code /chat/completions}
 * @param request as {@link CanonicalRequest} writes it
 */
record Cassette(String provider, String operation, String key, String request, List<Answer> answers) {

    /** @param type of the content */
    record Answer(int status, String type, List<Piece> pieces) {}

    /**
     * What came at one time: a whole event of a stream, or an answer that comes whole.
     *
     * @param afterMillis since the piece before
     */
    record Piece(long afterMillis, String text) {}

    private static final String REQUEST = "== request ";
    private static final String ANSWER = "== answer ";
    private static final String PIECE = "-- after ";

    String fileName() {
        String slug = operation.replaceAll("[^A-Za-z0-9]+", "-").replaceAll("^-|-$", "");
        return "%s-%s-%s.txt".formatted(provider, slug.substring(0, Math.min(60, slug.length())), key);
    }

    Cassette with(Answer another) {
        var all = new ArrayList<>(answers);
        all.add(another);
        return new Cassette(provider, operation, key, request, List.copyOf(all));
    }

    /** A piece's text is a JSON string where it would not survive as lines of its own. */
    String write() {
        var out = new StringBuilder();
        out.append(REQUEST)
                .append(provider)
                .append(' ')
                .append(operation)
                .append(' ')
                .append(key)
                .append('\n');
        out.append(request).append('\n');
        for (var answer : answers) {
            out.append(ANSWER)
                    .append(answer.status)
                    .append(' ')
                    .append(answer.type)
                    .append('\n');
            for (var piece : answer.pieces) {
                out.append(PIECE).append(piece.afterMillis).append(" ms\n");
                out.append(Json.MAPPER.valueToTree(lines(piece.text)).toPrettyString())
                        .append('\n');
            }
        }
        return out.toString();
    }

    /** Every failure is an {@link IllegalArgumentException}. */
    static Cassette read(String file) {
        String[] parts = file.split("(?m)^(?=== )", -1);
        var sections = Arrays.stream(parts).filter(part -> !part.isBlank()).toList();
        if (sections.isEmpty() || !sections.getFirst().startsWith(REQUEST)) {
            throw new IllegalArgumentException("it does not begin with \"" + REQUEST.trim() + "\"");
        }
        String[] head =
                firstLine(sections.getFirst()).substring(REQUEST.length()).split(" ", -1);
        if (head.length != 3) {
            throw new IllegalArgumentException("its first line is not: == request provider operation key");
        }
        List<Answer> answers = new ArrayList<>();
        for (String section : sections.subList(1, sections.size())) {
            answers.add(answer(section));
        }
        return new Cassette(head[0], head[1], head[2], rest(sections.getFirst()).stripTrailing(), List.copyOf(answers));
    }

    private static Answer answer(String section) {
        String[] head = firstLine(section).split(" ", 4);
        if (!section.startsWith(ANSWER) || head.length != 4 || !head[2].matches("[1-5]\\d\\d")) {
            throw new IllegalArgumentException("an answer does not begin with: == answer status content-type");
        }
        List<Piece> pieces = new ArrayList<>();
        for (String piece : rest(section).split("(?m)^(?=-- after )", -1)) {
            if (!piece.isBlank()) {
                pieces.add(piece(piece));
            }
        }
        return new Answer(Integer.parseInt(head[2]), head[3], List.copyOf(pieces));
    }

    private static Piece piece(String piece) {
        String[] head = firstLine(piece).split(" ", -1);
        if (head.length != 4 || !head[2].matches("\\d{1,9}")) {
            throw new IllegalArgumentException("a piece does not begin with: -- after 12 ms");
        }
        try {
            var text = new StringBuilder();
            for (JsonNode line : Json.MAPPER.readTree(rest(piece))) {
                text.append(line.asText());
            }
            return new Piece(Long.parseLong(head[2]), text.toString());
        } catch (java.io.IOException noJson) {
            throw new IllegalArgumentException("a piece is no list of texts", noJson);
        }
    }

    /** Each with its own end, so that nothing is lost of it. */
    private static List<String> lines(String text) {
        return Arrays.stream(text.split("(?<=\n)", -1))
                .filter(line -> !line.isEmpty())
                .toList();
    }

    private static String firstLine(String section) {
        int end = section.indexOf('\n');
        return end < 0 ? section : section.substring(0, end);
    }

    private static String rest(String section) {
        int end = section.indexOf('\n');
        return end < 0 ? "" : section.substring(end + 1);
    }
}
