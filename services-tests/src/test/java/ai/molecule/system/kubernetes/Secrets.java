package ai.molecule.system.kubernetes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The secrets that docs/kubernetes.md tells people to create, by name and key. Their values here are as good as any. */
record Secrets(Map<String, Set<String>> keys, Map<String, String> values) {

    private static final Pattern COMMAND = Pattern.compile(
            "kubectl -n molecule create secret generic (\\S+)((?: \\\\\\n +--from-[^\\n]*?(?= \\\\\\n|\\n))+)");
    private static final Pattern KEY = Pattern.compile("--from-(?:literal|file)=([a-z.-]+)=");

    static Secrets of(Path documentation, Map<String, String> values) throws IOException {
        Map<String, Set<String>> keys = new TreeMap<>();
        COMMAND.matcher(Files.readString(documentation))
                .results()
                .forEach(command -> keys.computeIfAbsent(command.group(1), name -> new TreeSet<>())
                        .addAll(KEY.matcher(command.group(2))
                                .results()
                                .map((MatchResult key) -> key.group(1))
                                .toList()));
        return new Secrets(keys, values);
    }

    /** Null when nobody is told to create it. */
    @Nullable
    String find(String secret, String key) {
        return keys.getOrDefault(secret, Set.of()).contains(key) ? values.get(key) : null;
    }
}
