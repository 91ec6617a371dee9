package ai.molecule.proxy.delegations;

/** Texts cut short for people. */
final class Preview {

    private Preview() {}

    /** At most {@code max} code points, and {@code ...} when something was left out; never half a character. */
    static String of(String text, int max) {
        return text.codePointCount(0, text.length()) <= max
                ? text
                : text.substring(0, text.offsetByCodePoints(0, max)) + "...";
    }
}
