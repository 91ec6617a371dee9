package ai.molecule.sdk;

/**
 * The mark that some editors write before a text in UTF-8, and that no reader of the text means.
 *
 * <pre>{@code
 * String config = ByteOrderMark.strip(Files.readString(Path.of("config.yaml")));
 * }</pre>
 */
public final class ByteOrderMark {

    private static final String MARK = "\uFEFF";

    private ByteOrderMark() {}

    /** The text without the mark at its beginning, if there is one. */
    public static String strip(String text) {
        return text.startsWith(MARK) ? text.substring(MARK.length()) : text;
    }
}
