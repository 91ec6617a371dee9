package ai.molecule.cli;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** A value that is to be seen by nobody: asked for without an echo at a terminal, else all of standard input. Never an argument, which everybody sees. */
public final class HiddenInput {

    private static final int MAX_BYTES = 64 * 1024;

    private HiddenInput() {}

    /** Without the end of its line. @throws LaunchFailure when there is none */
    public static String read(String prompt, InputStream in) throws IOException {
        String value = atTerminal() ? typed(prompt) : piped(in);
        if (value.isEmpty()) {
            throw LaunchFailure.usersTurn("Nothing was given, so nothing was changed.");
        }
        return value;
    }

    /** Whether a person sits at both ends of this process. */
    public static boolean atTerminal() {
        var terminal = System.console();
        return terminal != null && terminal.isTerminal();
    }

    private static String typed(String prompt) {
        char[] typed = Objects.requireNonNull(System.console()).readPassword("%s: ", prompt);
        return typed == null ? "" : new String(typed);
    }

    private static String piped(InputStream in) throws IOException {
        byte[] bytes = in.readNBytes(MAX_BYTES + 3);
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString()
                    .replaceFirst("\r?\n$", "");
            if (bytes.length <= MAX_BYTES + 2) {
                return text;
            }
        } catch (CharacterCodingException notText) {
            throw LaunchFailure.usersTurn("What came by standard input is not a text.");
        }
        throw LaunchFailure.usersTurn("What came by standard input is longer than 64 KiB.");
    }
}
