package ai.molecule.runtime.tools;

/** The beginning of a text. */
public final class Excerpt {

    private Excerpt() {}

    /** At most {@code charsMax} chars, and no half of a character: the platform refuses what contains one. */
    public static String of(String text, int charsMax) {
        if (text.length() <= charsMax) {
            return text;
        }
        boolean halved = charsMax > 0 && Character.isHighSurrogate(text.charAt(charsMax - 1));
        return text.substring(0, halved ? charsMax - 1 : charsMax);
    }
}
