package ai.molecule.common.tracing;

import java.util.Locale;
import java.util.Set;

/** The headers that say to which trace a request belongs (W3C Trace Context). A request sent within a trace gets them by itself. */
public final class TraceHeaders {

    public static final String PARENT = "traceparent";
    public static final String STATE = "tracestate";

    private static final Set<String> NAMES = Set.of(PARENT, STATE);

    private TraceHeaders() {}

    public static boolean isOne(String header) {
        return NAMES.contains(header.toLowerCase(Locale.ROOT));
    }
}
