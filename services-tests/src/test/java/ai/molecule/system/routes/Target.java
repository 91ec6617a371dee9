package ai.molecule.system.routes;

import java.time.Instant;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A workspace to try requests on, so that no row of the table disturbs another.
 *
 * @param id a managed workspace at the root, with one child
 * @param peer another workspace at the root, which fetches its messages
 * @param orgToken empty while the services have no organisation tokens
 * @param people of the organisation, and one of this workspace alone
 * @param session both halves; in development, which knows no sessions, of one that nobody opened
 */
record Target(
        String id,
        String peer,
        String ownToken,
        String revokedToken,
        String otherToken,
        String orgToken,
        String session,
        People people) {

    /** Tokens of people with these roles. */
    record People(String viewer, String operator, String owner, String branch) {}

    /** Without people. */
    Target(
            String id,
            String peer,
            String ownToken,
            String revokedToken,
            String otherToken,
            String orgToken,
            String session) {
        this(id, peer, ownToken, revokedToken, otherToken, orgToken, session, new People("", "", "", ""));
    }

    /** No workspace has this id. */
    static final String NOBODY = "3f2c8c4e-8a52-4b43-9b7e-0d7c1f0e5a11";

    private static final Pattern PLACEHOLDER = Pattern.compile("\\{(id|peer|uuid|now)}");

    /** Replaces {@code {id}}, {@code {peer}}, and {@code {uuid}} by an id that nobody has, {@code {now}} by the time. */
    String fill(String text) {
        return PLACEHOLDER
                .matcher(text)
                .replaceAll(found -> Matcher.quoteReplacement(
                        switch (found.group(1)) {
                            case "id" -> id;
                            case "peer" -> peer;
                            case "now" -> Instant.now().toString();
                            default -> UUID.randomUUID().toString();
                        }));
    }
}
