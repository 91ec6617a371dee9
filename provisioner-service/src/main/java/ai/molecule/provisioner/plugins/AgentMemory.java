package ai.molecule.provisioner.plugins;

import ai.molecule.provisioner.backend.FilePath;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The text that agents keep in {@code CLAUDE.md}, as far as plugins wrote it: a heading {@code # Plugin: <name> / rule: <file>} or
 * {@code … / fragment: <file>}, then that file of the plugin.
 */
final class AgentMemory {

    static final FilePath FILE = FilePath.of("CLAUDE.md");

    private static final Pattern FROM_FILE =
            Pattern.compile(" *(rule|fragment): *([A-Za-z0-9][A-Za-z0-9._ -]{0,127}) *");

    private AgentMemory() {}

    /** The plugin's own files that blocks of this plugin were made from, as paths inside the plugin. */
    static List<String> filesNamed(String memory, PluginName plugin) {
        return memory.lines()
                .filter(line -> line.startsWith(heading(plugin)))
                .flatMap(line -> fileOf(line, plugin).stream())
                .distinct()
                .toList();
    }

    /**
     * Without the plugin's blocks. A block ends where the text of its file ends; where that is not found, before the next heading
     * of the first level: what a person wrote stays.
     *
     * @param texts of the plugin's files
     */
    static String without(String memory, PluginName plugin, Map<String, String> texts) {
        var kept = new StringBuilder();
        int at = 0;
        while (at < memory.length()) {
            int end = endOfLine(memory, at);
            String line = memory.substring(at, end).stripTrailing();
            if (line.startsWith(heading(plugin))) {
                at = endOfBlock(memory, end, fileOf(line, plugin).map(texts::get));
            } else {
                kept.append(memory, at, end);
                at = end;
            }
        }
        return kept.toString();
    }

    private static int endOfBlock(String memory, int from, Optional<String> text) {
        int start = skipBlank(memory, from);
        String expected = text.map(String::strip).orElse("");
        if (!expected.isEmpty() && memory.startsWith(expected, start)) {
            return skipBlank(memory, start + expected.length());
        }
        int at = from;
        while (at < memory.length() && !memory.startsWith("# ", at)) {
            at = endOfLine(memory, at);
        }
        return at;
    }

    private static int skipBlank(String memory, int from) {
        int at = from;
        while (at < memory.length() && Character.isWhitespace(memory.charAt(at))) {
            at++;
        }
        return at;
    }

    private static int endOfLine(String memory, int from) {
        int end = memory.indexOf('\n', from);
        return end < 0 ? memory.length() : end + 1;
    }

    private static Optional<String> fileOf(String line, PluginName plugin) {
        var parts = FROM_FILE.matcher(line.substring(heading(plugin).length()));
        if (!parts.matches()) {
            return Optional.empty();
        }
        String file = parts.group(2).strip();
        return Optional.of(parts.group(1).equals("rule") ? "rules/" + file : file);
    }

    private static String heading(PluginName plugin) {
        return "# Plugin: " + plugin + " /";
    }
}
