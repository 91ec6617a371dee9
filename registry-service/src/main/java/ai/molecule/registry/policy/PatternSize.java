package ai.molecule.registry.policy;

import ai.molecule.common.ApiError;
import java.util.regex.Pattern;

/**
 * What a pattern of RE2 costs, counted before it is compiled: RE2 writes repetitions out, and bounds each, but not what they come to
 * where one stands in another.
 */
final class PatternSize {

    /** What counts of repetitions within each other multiply to. */
    static final int REPETITIONS_MAX = 1_000;

    /** Characters, classes, groups and operators with every repetition written out; what a call then costs is some microseconds each. */
    static final int WRITTEN_OUT_MAX = 2_000;

    private static final int END = -1;

    private static final Pattern NOTHING = Pattern.compile("\\(\\?[A-Za-z-]*\\)|\\\\Q\\\\E");

    private final String pattern;
    private int at;

    /** Of a part of a pattern. @param nested what the repetitions in it multiply to at most */
    private record Part(long size, long nested) {

        static final Part ONE = new Part(1, 1);
        static final Part NOTHING = new Part(0, 1);

        Part and(Part next) {
            return new Part(capped(size + next.size), Math.max(nested, next.nested));
        }

        Part times(long count) {
            long written = Math.max(1, count); // what is repeated no time is read all the same
            return new Part(capped(size * written + 1), capped(nested * written));
        }

        /** So that nothing overflows. */
        private static long capped(long number) {
            return Math.min(number, Integer.MAX_VALUE);
        }
    }

    private PatternSize(String pattern) {
        this.pattern = pattern;
    }

    /** Fails with INVALID for a pattern that would be too large. One that is no pattern of RE2 at all may pass: compiling it tells. */
    static void check(String pattern) {
        var reader = new PatternSize(pattern);
        Part whole = Part.NOTHING;
        while (reader.peek() != END) {
            whole = whole.and(reader.alternatives());
            if (reader.peek() == ')') { // one too many, which RE2 refuses
                reader.at++;
            }
        }
        if (whole.nested > REPETITIONS_MAX) {
            throw ApiError.invalid(
                    "repetitions within each other may come to at most %,d, those of the pattern come to more; write fewer"
                            .formatted(REPETITIONS_MAX));
        }
        if (whole.size > WRITTEN_OUT_MAX) {
            throw ApiError.invalid(
                    "a pattern may have at most %,d parts with its repetitions written out; make it shorter, or repeat less"
                            .formatted(WRITTEN_OUT_MAX));
        }
    }

    /** Up to the end of the group. Groups in groups are as deep as half of an expression's 1,000 characters at most. */
    private Part alternatives() {
        Part sum = Part.NOTHING;
        while (peek() != END && peek() != ')') {
            sum = sum.and(repeated(atom()));
        }
        return sum;
    }

    private Part atom() {
        char first = pattern.charAt(at++);
        return switch (first) {
            case '(' -> group();
            case '[' -> set();
            case '\\' -> escape();
            default -> Part.ONE;
        };
    }

    private Part group() {
        var within = alternatives();
        if (peek() == ')') {
            at++;
        }
        return within.and(Part.ONE);
    }

    /** As RE2 reads a class: a bracket that comes first is one of its characters, and names have brackets of their own. */
    private Part set() {
        if (peek() == '^') {
            at++;
        }
        boolean first = true;
        while (peek() != END && (first || peek() != ']')) {
            first = false;
            int name = pattern.startsWith("[:", at) ? pattern.indexOf(":]", at + 2) : END;
            if (name != END) {
                at = name + 2;
            } else if (pattern.charAt(at++) == '\\') {
                escape();
            }
        }
        if (peek() == ']') {
            at++;
        }
        return Part.ONE;
    }

    private Part escape() {
        if (peek() == END) {
            return Part.ONE;
        }
        char escaped = pattern.charAt(at++);
        if (escaped == 'Q') {
            int end = pattern.indexOf("\\E", at);
            int to = end == END ? pattern.length() : end;
            var literal = new Part(to - at, 1);
            at = end == END ? to : end + 2;
            return literal;
        }
        boolean named = escaped == 'p' || escaped == 'P' || escaped == 'x';
        if (named && peek() == '{') {
            int end = pattern.indexOf('}', at);
            at = end == END ? pattern.length() : end + 1;
        }
        return Part.ONE;
    }

    private Part repeated(Part atom) {
        Part part = atom;
        while (true) {
            int next = peek();
            if (next == '*' || next == '+' || next == '?') {
                at++;
                part = part.times(1);
            } else if (next == '{') {
                long count = count();
                if (count == END) {
                    return part; // a brace as such, which is an atom
                }
                part = part.times(count);
            } else if (passNothing()) {
                part = part.and(Part.ONE);
            } else {
                return part;
            }
        }
    }

    /** Flags and an empty quotation match nothing, so that a repetition behind them is of what stands before. */
    private boolean passNothing() {
        var nothing = NOTHING.matcher(pattern).region(at, pattern.length());
        if (nothing.lookingAt()) {
            at = nothing.end();
            return true;
        }
        return false;
    }

    /** The larger number of {@code {n}}, {@code {n,}} or {@code {n,m}}, and behind it; where it is none of these, END and nothing is read. */
    private long count() {
        int end = pattern.indexOf('}', at);
        if (end == END) {
            return END;
        }
        var counts = pattern.substring(at + 1, end).split(",", -1);
        boolean wellFormed = counts.length <= 2
                && isNumber(counts[0])
                && (counts.length == 1 || counts[1].isEmpty() || isNumber(counts[1]));
        if (!wellFormed) {
            return END;
        }
        at = end + 1;
        return Math.max(number(counts[0]), number(counts[counts.length - 1]));
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(digit -> digit >= '0' && digit <= '9');
    }

    /** What is longer than nine digits is more than any bound. */
    private static long number(String digits) {
        return digits.isEmpty() ? 0 : digits.length() > 9 ? Integer.MAX_VALUE : Long.parseLong(digits);
    }

    private int peek() {
        return at < pattern.length() ? pattern.charAt(at) : END;
    }
}
