package ai.molecule.registry.approvals;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Collection;
import java.util.stream.Collectors;

/**
 * Lines of CSV (RFC 4180). A cell that a spreadsheet would take for a formula begins with an apostrophe: the words are those of agents and of
 * whoever wrote to them.
 */
final class Csv {

    private static final String END = "\r\n";

    /** By what a formula begins, behind spaces, tabs and line breaks, too. */
    private static final String FORMULA = "=+-@";

    private Csv() {}

    static String header(Collection<String> columns) {
        return String.join(",", columns) + END;
    }

    /** Of each column the member that is called so; nothing for null. */
    static String line(Collection<String> columns, ObjectNode row) {
        return columns.stream().map(column -> cell(row.path(column).asText(""))).collect(Collectors.joining(",")) + END;
    }

    static String cell(String text) {
        String harmless = isFormula(text) ? "'" + text : text;
        boolean quoted = harmless.chars().anyMatch(c -> c == '"' || c == ',' || c == '\r' || c == '\n');
        return quoted ? '"' + harmless.replace("\"", "\"\"") + '"' : harmless;
    }

    private static boolean isFormula(String text) {
        String said = text.stripLeading();
        return !said.isEmpty() && FORMULA.indexOf(said.charAt(0)) >= 0;
    }
}
