package ai.molecule.proxy.frontdoor.previews;

import ai.molecule.common.auth.Ids;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Pattern;

/** The name of a web server of an agent, {@code 3000--<workspace id>}: one label, so that a certificate for all of them needs one wildcard. */
record PreviewHost(UUID workspaceId, int port) {

    private static final int PORT_MAX = 65_535;

    private static final Pattern LABEL = Pattern.compile("([1-9]\\d{0,4})--([0-9a-f-]{36})");

    static boolean isPort(long port) {
        return port >= 1 && port <= PORT_MAX;
    }

    /** Empty for a label of another form. */
    static Optional<PreviewHost> of(String label) {
        var parts = LABEL.matcher(label.toLowerCase(Locale.ROOT));
        if (!parts.matches() || !isPort(Integer.parseInt(parts.group(1)))) {
            return Optional.empty();
        }
        int port = Integer.parseInt(parts.group(1));
        return Ids.find(parts.group(2)).map(id -> new PreviewHost(id, port));
    }

    String label() {
        return port + "--" + workspaceId;
    }
}
