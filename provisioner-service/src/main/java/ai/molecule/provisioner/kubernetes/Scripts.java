package ai.molecule.provisioner.kubernetes;

/**
 * What is done to files, in the words of a POSIX shell with GNU file tools. Each script gets the root, the path below it, and one
 * number. They go down name by name and follow no link, so that a path means the same here as in every other backend.
 */
final class Scripts {

    /** Exit code: there is no such file, or a link or a file is where a folder should be. */
    static final int ABSENT = 44;

    static final int TOO_LARGE = 45;

    private Scripts() {}

    private static final String DOWN = """
            set -f; IFS=/
            cd "$1" || exit 1
            down() { for name in $1; do name=./$name; [ -L "$name" ] && exit 44; %s cd "$name" 2>/dev/null || exit 44; done; }
            """;

    /** Into the folder that holds the last name, which becomes {@code $last}. */
    private static final String TO_PARENT = """
            last=./${2##*/}; case $2 in */*) down "${2%/*}";; esac
            """;

    private static final String ENTER = DOWN.formatted("");
    private static final String MAKE = DOWN.formatted("[ -e \"$name\" ] || mkdir \"$name\" 2>/dev/null;");

    static final String LIST = ENTER + """
            down "$2"; find . -mindepth 1 -maxdepth "$3" \\( -type f -printf 'f %s %P\\0' -o -type d -printf 'd 0 %P\\0' \\) | head -z -n 10000
            """;

    static final String READ = ENTER + TO_PARENT + """
            [ -L "$last" ] && exit 44; [ -f "$last" ] || exit 44
            [ "$(stat -c %s "$last")" -gt "$3" ] && exit 45
            exec cat "$last"
            """;

    static final String WRITE = MAKE + TO_PARENT + """
            [ -d "$last" ] && [ ! -L "$last" ] && exit 44
            aside=./.molecule-$$; head -c "$3" > "$aside" && mv -T -f "$aside" "$last" || { rm -f "$aside"; exit 1; }
            """;

    static final String PUT_FOLDER = MAKE + TO_PARENT + """
            aside=./.molecule-$$; mkdir "$aside" && head -c "$3" | tar -x -f - -C "$aside" --no-same-owner && rm -rf "$last" && mv -T "$aside" "$last" || { rm -rf "$aside"; exit 1; }
            """;

    static final String DELETE = ENTER + TO_PARENT + """
            [ -e "$last" ] || [ -L "$last" ] || exit 44
            rm -rf "$last"
            """;
}
