package ai.molecule.common.http;

import ai.molecule.common.workspaces.TenantName;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** The tenant that a request names, as existing clients name their organisation. */
public final class NamedTenant {

    public static final String HEADER = "X-Molecule-Org-Id";

    private NamedTenant() {}

    /**
     * Null where none is named. Throws INVALID.
     *
     * @param orgId the only organisation that is served here: then it is no tenant that the header names
     */
    public static @Nullable String of(HttpServerRequest request, @Nullable String orgId) {
        return of(request.getHeader(HEADER), orgId);
    }

    /** The same of what stands in the header. */
    public static @Nullable String of(@Nullable String header, @Nullable String orgId) {
        return orgId != null || header == null || header.isBlank() ? null : TenantName.checked(header.strip());
    }
}
