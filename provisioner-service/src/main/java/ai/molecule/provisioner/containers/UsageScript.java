package ai.molecule.provisioner.containers;

import ai.molecule.provisioner.backend.WorkspaceFiles;
import ai.molecule.provisioner.backend.WorkspaceFiles.Usage;
import java.io.IOException;
import java.util.regex.Pattern;

/** How a shell in a container tells what is in folders. */
public final class UsageScript {

    private static final Pattern ANSWER = Pattern.compile("(\\d{1,18}) (\\d{1,18})\\s*");

    /** Prints bytes, and the number of files and folders, of what its arguments name; nothing is followed. */
    public static final String TEXT = """
            find "$@" '(' -type f -printf '%%s\\n' -o -printf '0\\n' ')' 2>/dev/null | head -n %d | {
              bytes=0; number=0
              while read -r size; do bytes=$((bytes + size)); number=$((number + 1)); done
              echo "$bytes $number"
            }
            """.formatted(WorkspaceFiles.USAGE_FILES_MAX);

    private UsageScript() {}

    public static Usage in(String output) throws IOException {
        var answer = ANSWER.matcher(output);
        if (!answer.matches()) {
            throw new IOException("what a workspace holds could not be measured");
        }
        return new Usage(Long.parseLong(answer.group(1)), Long.parseLong(answer.group(2)));
    }
}
