package ai.molecule.provisioner.organisations;

import ai.molecule.common.json.ByteOrderMark;
import ai.molecule.provisioner.backend.FilePath;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;

/** Reads {@code .env} files: lines of {@code KEY=value}, {@code export} and quotes around the value allowed, {@code #} comments. */
final class EnvFile {

    static final String NAME = ".env";

    private EnvFile() {}

    /** Those of the folder, then those of {@code below} over them. Lines that are none and empty values are left out. */
    static Map<String, String> read(OrgFolder folder, FilePath below) {
        Map<String, String> values = new LinkedHashMap<>(in(folder, FilePath.of(NAME)));
        if (!below.isRoot()) {
            values.putAll(in(folder, below.resolve(FilePath.of(NAME))));
        }
        return values;
    }

    private static Map<String, String> in(OrgFolder folder, FilePath file) {
        Map<String, String> values = new LinkedHashMap<>();
        folder.read(file)
                .ifPresent(content -> ByteOrderMark.strip(new String(content, StandardCharsets.UTF_8))
                        .lines()
                        .map(String::strip)
                        .filter(line -> !line.startsWith("#"))
                        .forEach(line -> put(
                                line.startsWith("export ") ? line.substring(7).strip() : line, values)));
        return values;
    }

    private static void put(String line, Map<String, String> values) {
        int equals = line.indexOf('=');
        if (equals > 0) {
            String value = unquoted(line.substring(equals + 1).strip());
            if (!value.isEmpty()) {
                values.put(line.substring(0, equals).strip(), value);
            }
        }
    }

    private static String unquoted(String value) {
        boolean quoted = value.length() >= 2
                && (value.charAt(0) == '"' || value.charAt(0) == '\'')
                && value.charAt(value.length() - 1) == value.charAt(0);
        return quoted ? value.substring(1, value.length() - 1) : value;
    }
}
