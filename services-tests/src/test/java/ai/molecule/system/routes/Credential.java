package ai.molecule.system.routes;

import java.util.List;

/** What a caller may show. The names are the columns of {@code policies.txt}. */
enum Credential {
    NONE("none"),
    EMPTY("empty"),
    GARBAGE("garbage"),
    OTHER("other"),
    OWN("own"),
    REVOKED("revoked"),
    ORG("org"),
    ADMIN("admin"),
    OWN_THEN_GARBAGE("own+bad"),
    GARBAGE_THEN_OWN("bad+own"),
    /** People, by tokens of theirs. */
    VIEWER("viewer"),
    OPERATOR("operator"),
    OWNER("owner"),
    /** An operator of the branch that is the workspace in question. */
    BRANCH("branch"),
    /** Of a person at a page; last, because one row ends it. */
    SESSION("session");

    private static final String NONSENSE = "bm9ib2R5LWV2ZXItaXNzdWVkLXRoaXMtdG9rZW4tYXQtYWxs";

    final String column;

    Credential(String column) {
        this.column = column;
    }

    static Credential of(String column) {
        for (var credential : values()) {
            if (credential.column.equals(column)) {
                return credential;
            }
        }
        throw new IllegalArgumentException("no such credential: " + column);
    }

    /** The header lines that show it. */
    List<String> headers(Target target) {
        return switch (this) {
            case NONE -> List.of();
            case EMPTY -> List.of("Authorization: Bearer ");
            case GARBAGE -> List.of(bearer(NONSENSE));
            case OTHER -> List.of(bearer(target.otherToken()));
            case OWN -> List.of(bearer(target.ownToken()));
            case REVOKED -> List.of(bearer(target.revokedToken()));
            case ORG -> List.of(bearer(target.orgToken()));
            case ADMIN -> List.of(bearer(FourServices.ADMIN_TOKEN));
            case OWN_THEN_GARBAGE -> List.of(bearer(target.ownToken()), bearer(NONSENSE));
            case GARBAGE_THEN_OWN -> List.of(bearer(NONSENSE), bearer(target.ownToken()));
            case VIEWER -> List.of(bearer(target.people().viewer()));
            case OPERATOR -> List.of(bearer(target.people().operator()));
            case OWNER -> List.of(bearer(target.people().owner()));
            case BRANCH -> List.of(bearer(target.people().branch()));
            case SESSION -> page(target.session());
        };
    }

    /** As a page shows a session: one half as its cookie, the other in a header. */
    static List<String> page(String session) {
        String[] halves = session.split("\\.", 2);
        return List.of("Cookie: molecule_session=" + halves[0], "X-Molecule-CSRF: " + halves[1]);
    }

    private static String bearer(String token) {
        return "Authorization: Bearer " + token;
    }
}
