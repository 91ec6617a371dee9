package ai.molecule.registry.workspaces;

import ai.molecule.common.text.LookAlikes;

/**
 * Names as whoever looks for an agent sees them, as SQL. Two names are one to a reader when either shape of both is equal: the letters without
 * blanks, what shows nothing, case and other forms of the same letter; or what these letters look like. Letters of Cyrillic, Greek and
 * Armenian, and some of Latin, that fonts draw as plain Latin ones are taken for these (of Unicode's confusables, UTS 39, those of one letter for
 * one letter), and {@code i}, {@code I}, {@code 1} and {@code l} for one, as are
 * {@code O} and {@code 0}.
 */
public final class NameShapes {

    /** Blanks and what shows nothing. */
    private static final String UNSEEN = "[[:space:]" + LookAlikes.unseenInSql() + "]+";

    /** Each letter before what it looks like. */
    private static final String PAIRS = LookAlikes.OF_OTHER_ALPHABETS + LookAlikes.OF_LATIN;

    private static final String FROM = every(0);
    private static final String TO = every(1);

    private NameShapes() {}

    /** Whether both are one name to a reader. @param one an expression of SQL, as is the other */
    public static String same(String one, String other) {
        return "(%s = %s OR %s = %s)".formatted(letters(one), letters(other), looks(one), looks(other));
    }

    private static String letters(String text) {
        return "lower(%s)".formatted(seen(text));
    }

    /** Before normalizing too: some are written there as another letter that looks otherwise. */
    private static String looks(String text) {
        return "lower(%s)".formatted(plain(seen(plain(text))));
    }

    private static String seen(String text) {
        return "regexp_replace(normalize(%s, NFKC), '%s', '', 'g')".formatted(text, UNSEEN);
    }

    private static String plain(String text) {
        return "translate(%s, '%s', '%s')".formatted(text, FROM, TO);
    }

    private static String every(int second) {
        var letters = new StringBuilder();
        for (int i = second; i < PAIRS.length(); i += 2) {
            letters.append(PAIRS.charAt(i));
        }
        return letters.toString();
    }
}
