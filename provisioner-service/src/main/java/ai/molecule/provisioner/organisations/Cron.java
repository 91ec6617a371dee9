package ai.molecule.provisioner.organisations;

import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether a text is a cron expression of five fields, or one of the usual names such as {@code @daily}. */
final class Cron {

    private record Field(int min, int max, List<String> names) {}

    private static final List<Field> FIELDS = List.of(
            new Field(0, 59, List.of()),
            new Field(0, 23, List.of()),
            new Field(1, 31, List.of()),
            new Field(
                    1, 12, List.of("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")),
            new Field(0, 7, List.of("sun", "mon", "tue", "wed", "thu", "fri", "sat")));

    private static final Set<String> NAMES =
            Set.of("@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly");

    private static final Pattern PART = Pattern.compile("(?:\\*|(\\w{1,3})(?:-(\\w{1,3}))?)(?:/(\\d{1,2}))?");

    private Cron() {}

    static boolean isValid(String expression) {
        String text = expression.strip().toLowerCase(Locale.ROOT);
        if (NAMES.contains(text)) {
            return true;
        }
        var fields = text.split("\\s+");
        if (fields.length != FIELDS.size()) {
            return false;
        }
        for (int i = 0; i < fields.length; i++) {
            for (String part : fields[i].split(",", -1)) {
                if (!isPart(part, FIELDS.get(i))) {
                    return false;
                }
            }
        }
        return true;
    }

    private static boolean isPart(String text, Field field) {
        Matcher part = PART.matcher(text);
        if (!part.matches() || (part.group(3) != null && Integer.parseInt(part.group(3)) == 0)) {
            return false;
        }
        if (part.group(1) == null) {
            return true;
        }
        int from = value(part.group(1), field);
        int to = part.group(2) == null ? from : value(part.group(2), field);
        return from >= field.min() && to <= field.max() && from <= to;
    }

    /** -1 for what is none. */
    private static int value(String text, Field field) {
        int name = field.names().indexOf(text);
        if (name >= 0) {
            return name + field.min();
        }
        return text.matches("\\d{1,2}") ? Integer.parseInt(text) : -1;
    }
}
