package ai.molecule.proxy.json;

/** UTF-8 as RFC 3629 has it: no overlong forms, no surrogates, nothing past U+10FFFF. */
final class Utf8 {

    private Utf8() {}

    /** Where the character of several bytes that starts at {@code at} ends; -1 when there is none. */
    static int endOfCharacter(byte[] text, int at) {
        int first = text[at] & 0xff;
        int length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
        if (length == 0 || at + length > text.length) {
            return -1;
        }
        int second = text[at + 1] & 0xff;
        boolean legal =
                switch (first) {
                    case 0xe0 -> second >= 0xa0;
                    case 0xed -> second < 0xa0;
                    case 0xf0 -> second >= 0x90;
                    case 0xf4 -> second < 0x90;
                    default -> true;
                };
        for (int i = at + 1; i < at + length; i++) {
            legal &= (text[i] & 0xc0) == 0x80;
        }
        return legal ? at + length : -1;
    }
}
