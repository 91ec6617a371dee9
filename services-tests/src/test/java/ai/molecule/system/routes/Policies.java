package ai.molecule.system.routes;

import ai.molecule.system.routes.FourServices.Mode;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/** {@code policies.txt}: what each credential gets under a policy, in development and in production. */
final class Policies {

    /** Means: what the row says that a caller gets who may. */
    static final int PASS = -1;

    /** Means: PASS for who only looks, else 403. */
    static final int LOOK = -2;

    /** Means: PASS for what is of the workspace in question, else 403. */
    static final int THERE = -3;

    private record Cell(String policy, Mode mode, Credential credential) {}

    private final Map<Cell, Integer> cells = new HashMap<>();

    private Policies() {}

    static Policies read() {
        var policies = new Policies();
        List<Credential> columns = List.of();
        for (String line : Lines.of("policies.txt")) {
            String[] words = line.trim().split("\\s+");
            if (words[0].equals("policy")) {
                columns = Stream.of(words).skip(2).map(Credential::of).toList();
                continue;
            }
            if (words.length != columns.size() + 2) {
                throw new IllegalStateException("policies.txt: a cell is missing or too many: " + line);
            }
            var mode = Mode.valueOf(words[1].toUpperCase(Locale.ROOT));
            for (int i = 0; i < columns.size(); i++) {
                policies.cells.put(new Cell(words[0], mode, columns.get(i)), status(words[i + 2]));
            }
        }
        return policies;
    }

    /** The status, or one of the words above. */
    int status(String policy, Mode mode, Credential credential) {
        Integer status = cells.get(new Cell(policy, mode, credential));
        if (status == null) {
            throw new IllegalStateException("policies.txt: no %s %s %s".formatted(policy, mode, credential.column));
        }
        return status;
    }

    private static int status(String cell) {
        return switch (cell) {
            case "pass" -> PASS;
            case "look" -> LOOK;
            case "there" -> THERE;
            default -> Integer.parseInt(cell);
        };
    }
}
