package ai.molecule.common.json;

/** What some editors write before a text in UTF-8, and no reader of the text means. */
public final class ByteOrderMark {

    private static final String MARK = "\uFEFF";

    private ByteOrderMark() {}

    /** The text without the mark at its beginning, if there is one. */
    public static String strip(String text) {
        return text.startsWith(MARK) ? text.substring(MARK.length()) : text;
    }
}
