package ai.molecule.sdk.plugins;

import java.util.Arrays;
import java.util.Comparator;

/** Text in the order of its code points; Java's own order puts what lies above U+FFFF before U+E000. */
final class CodePoints {

    static final Comparator<String> ORDER = (one, other) ->
            Arrays.compare(one.codePoints().toArray(), other.codePoints().toArray());

    private CodePoints() {}
}
