package ai.molecule.registry.workspaces;

/**
 * Names as whoever looks for an agent sees them, as SQL. Two names are one to a reader when either shape of both is equal: the letters without
 * blanks, what shows nothing, case and other forms of the same letter; or what these letters look like. Letters of Cyrillic, Greek and
 * Armenian, and some of Latin, that fonts draw as plain Latin ones are taken for these (of Unicode's confusables, UTS 39, those of one letter for
 * one letter), and {@code i}, {@code I}, {@code 1} and {@code l} for one, as are
 * {@code O} and {@code 0}.
 */
final class NameShapes {

    /** Blanks and what shows nothing: soft hyphen, joiners, fillers, selectors of variants, tags. */
    private static final String UNSEEN =
            "[[:space:]\\u00AD\\u034F\\u061C\\u115F\\u1160\\u17B4\\u17B5\\u180B-\\u180F\\u200B-\\u200F"
                    + "\\u2060-\\u2064\\u206A-\\u206F\\u3164\\uFE00-\\uFE0F\\uFEFF\\U000E0000-\\U000E0FFF]+";

    /** Each letter before what it looks like. Capitals of their own, because the database need not know their small ones. */
    private static final String PAIRS = ""
            // Cyrillic capitals
            + "\u0410a\u0412b\u0421c\u0415e\u041Dh\u0406l\u0408j\u041Ak\u041Cm\u041Eo\u0420p\u0405s\u0422t\u0425x\u0423y\u04AEy\u0474v\u051Aq"
            + "\u051Cw\u04C0l\u0401\u00EB\u0407\u00EF"
            // Cyrillic small letters
            + "\u0430a\u0441c\u0501d\u0435e\u04BBh\u0456l\u0458j\u043Ak\u043Eo\u0440p\u051Bq\u0455s\u0475v\u051Dw\u0445x\u0443y\u04AFy\u04CFl"
            + "\u0451\u00EB\u0457\u00EF"
            // Greek capitals
            + "\u0391a\u0392b\u03F9c\u0395e\u0396z\u0397h\u0399l\u039Ak\u039Cm\u039Dn\u039Fo\u03A1p\u03A4t\u03A5y\u03A7x\u037Fj"
            // Greek small letters
            + "\u03B1a\u03F2c\u03B7n\u03B9l\u03F3j\u03BAk\u03BFo\u03C1p\u03BDv\u03C5u\u03B3y\u03C7x"
            // Armenian, and Latin letters of other alphabets
            + "\u0555o\u054Fs\u0585o\u057Du\u0570h\u0566q\u0578n\u0251a\u0261g\u0131l\u01C0l"
            // of one alphabet; i too, because its capital is not told from l
            + "Ilil1l0o";

    private static final String FROM = every(0);
    private static final String TO = every(1);

    private NameShapes() {}

    /** Whether both are one name to a reader. @param one an expression of SQL, as is the other */
    static String same(String one, String other) {
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
