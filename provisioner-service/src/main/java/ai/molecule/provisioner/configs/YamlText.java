package ai.molecule.provisioner.configs;

/** Texts as YAML that we write. */
public final class YamlText {

    private YamlText() {}

    /** A double-quoted scalar on one line. */
    public static String quoted(String text) {
        var quoted = new StringBuilder("\"");
        text.codePoints().forEach(point -> {
            switch (point) {
                case '"' -> quoted.append("\\\"");
                case '\\' -> quoted.append("\\\\");
                case '\n', '\r', '\t' -> quoted.append(' ');
                default -> {
                    if (Character.isISOControl(point)) {
                        quoted.append("\\x%02x".formatted(point));
                    } else {
                        quoted.appendCodePoint(point);
                    }
                }
            }
        });
        return quoted.append('"').toString();
    }
}
