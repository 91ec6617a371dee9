package ai.molecule.provisioner.kubernetes;

/**
 * What is done to files, in the words of a POSIX shell with GNU file tools. A script gets the root, one number, and one or more
 * paths below the root. It goes down name by name and follows no link, so that a path means the same here as in every other backend.
 */
final class Scripts {

    /** Exit code: there is no such file. */
    static final int ABSENT = 44;

    static final int TOO_LARGE = 45;

    /** Exit code: a file or a link is where a folder should be, or a folder where a file should be. */
    static final int IN_THE_WAY = 46;

    /** {@code to_parent a/b/c} goes to {@code a/b} and leaves {@code ./c} in {@code $last}. */
    private static final String GO = """
            set -f; root=$1; number=$2; shift 2; cd "$root" || exit 1
            enter() { [ -L "./$1" ] && exit 46; [ -d "./$1" ] || { [ -e "./$1" ] && exit 46; %s; }; cd "./$1" || exit 1; }
            down() { IFS=/; for name in $1; do enter "$name"; done; }
            to_parent() { case $1 in */*) down "${1%%/*}";; esac; last=./${1##*/}; }
            """;

    private static final String FINDING = GO.formatted("exit 44");
    private static final String MAKING = GO.formatted("mkdir \"./$1\" || exit 1");

    /** The number is the depth. */
    static final String LIST = FINDING + """
            down "$1"
            find . -mindepth 1 -maxdepth "$number" '(' -type d -o -type f ')' -printf '%y %s %P\\0' | head -z -n 10001
            """;

    /** The number is the most bytes the file may hold. */
    static final String READ = FINDING + """
            to_parent "$1"
            [ ! -L "$last" ] && [ -f "$last" ] || exit 44
            [ "$(stat -c %s "$last")" -le "$number" ] || exit 45
            exec head -c "$number" "$last"
            """;

    /** Whether files can be written at each of the paths; changes nothing. */
    static final String CHECK = FINDING + """
            for path in "$@"; do
              ( to_parent "$path"; [ -d "$last" ] && [ ! -L "$last" ] && exit 46; exit 0 )
              found=$?; [ $found -eq 0 ] || [ $found -eq 44 ] || exit $found
            done
            """;

    /** The number is how many bytes follow. What begins like a program may be run. */
    static final String WRITE = MAKING + """
            program() { case $(head -c 4 "$1" | tr -d '\\0') in '#!'*|?ELF) chmod 0755 "$1";; esac; }
            to_parent "$1"
            aside=./.molecule-$$
            head -c "$number" > "$aside" && program "$aside" && mv -T -f "$aside" "$last" || { rm -f "$aside"; exit 46; }
            """;

    /** The number is how many bytes of a tar archive follow. */
    static final String PUT_FOLDER = MAKING + """
            to_parent "$1"
            aside=./.molecule-$$
            mkdir "$aside" && head -c "$number" | tar -x -f - -C "$aside" --no-same-owner \\
              && rm -rf "$last" && mv -T "$aside" "$last" || { rm -rf "$aside"; exit 1; }
            """;

    /** An agent may have closed its folders even to itself. */
    static final String DELETE = FINDING + """
            to_parent "$1"
            [ -e "$last" ] || [ -L "$last" ] || exit 44
            [ -L "$last" ] || chmod -R u+rwX "$last"
            rm -rf "$last"
            """;

    /**
     * Before an agent starts: what it shall find when it has no config. Its config comes last and whole, so what was cut short is done
     * again. The environment says where all of it is.
     */
    static final String INITIAL = """
            [ -z "$FRESH_SESSIONS" ] || rm -rf "$HOME/.claude/sessions"
            cd "$CONFIGS_DIR" || exit 1
            if [ -e config.yaml ] || [ -L config.yaml ]; then exit 0; fi
            if [ -n "$MISSING" ]; then echo "[FAIL] Config: $MISSING"; exit 1; fi
            tar -x -f "$INITIAL" --skip-old-files --no-same-owner --anchored --exclude=config.yaml
            tar -x -f "$INITIAL" -O config.yaml > .molecule-config && mv -T .molecule-config config.yaml
            """;

    private Scripts() {}
}
