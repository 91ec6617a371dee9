package ai.molecule.common.schedules;

/** What somebody wrote, as an error repeats it: not all of something long. */
final class Quoted {

    private static final int MAX_CHARS = 60;

    private Quoted() {}

    static String of(String text) {
        return text.codePointCount(0, text.length()) <= MAX_CHARS
                ? text
                : text.substring(0, text.offsetByCodePoints(0, MAX_CHARS)) + "…";
    }
}
