package ai.molecule.common.tracing;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The headers that say to which trace a request belongs (W3C Trace Context). A request sent within a trace gets them by itself. */
public final class TraceHeaders {

    public static final String PARENT = "traceparent";
    public static final String STATE = "tracestate";

    private static final Set<String> NAMES = Set.of(PARENT, STATE);

    private static final Pattern SHAPE = Pattern.compile("[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}");

    private TraceHeaders() {}

    /** A {@code traceparent} as the standard has it; null for anything else. */
    public static @Nullable String parent(@Nullable String header) {
        return header != null && SHAPE.matcher(header).matches() ? header : null;
    }

    /** Whether whoever began the trace wants it recorded; false for none. */
    public static boolean isRecorded(@Nullable String header) {
        String parent = parent(header);
        return parent != null && (Character.digit(parent.charAt(parent.length() - 1), 16) & 1) == 1;
    }

    public static boolean isOne(String header) {
        return NAMES.contains(header.toLowerCase(Locale.ROOT));
    }
}
