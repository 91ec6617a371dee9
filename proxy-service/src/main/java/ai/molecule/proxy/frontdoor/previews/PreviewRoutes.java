package ai.molecule.proxy.frontdoor.previews;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Credentials;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.JsonBody;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** {@code /workspaces/:id/preview}, as docs/wire/proxy.md has it. */
public final class PreviewRoutes {

    private static final String OFF =
            "Web previews are off here. The operator turns them on with MOLECULE_AGENTS_HOST (docs/operations.md).";

    private static final String LOCAL = "localhost";

    private static final Set<String> THIS_MACHINE = Set.of(LOCAL, "127.0.0.1", "[::1]");

    private static final Pattern AUTHORITY = Pattern.compile("(\\[[^\\]]*]|[^:]*)(:\\d{1,5})?");

    private final @Nullable String domain;
    private final Edge edge;
    private final PreviewSessions sessions;
    private final PreviewTargets targets;
    private final Clock clock;

    /** @param domain null where previews are off */
    PreviewRoutes(@Nullable String domain, Edge edge, PreviewSessions sessions, PreviewTargets targets, Clock clock) {
        this.domain = domain;
        this.edge = edge;
        this.sessions = sessions;
        this.targets = targets;
        this.clock = clock;
    }

    /** {@code {"ports":[3000],"reason":null}}: where its processes listen, or why none can be shown. */
    public void list(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        if (domain == null) {
            Answers.json(ctx, Future.succeededFuture(listed(List.of(), OFF)));
            return;
        }
        Answers.json(
                ctx,
                targets.list(id)
                        .map(ports -> listed(ports, null))
                        .recover(failure -> failure instanceof ApiError why && why.kind() == ApiError.Kind.CONFLICT
                                ? Future.succeededFuture(listed(List.of(), why.publicMessage()))
                                : Future.failedFuture(failure)));
    }

    /** {@code {"port":3000}} → 201 {@code {"url","expires_at"}}: a link that opens the web server once. */
    public void open(RoutingContext ctx) {
        var id = PathIds.workspace(ctx);
        long port = JsonBody.of(ctx, "invalid request body").integer("port", 0);
        if (!PreviewHost.isPort(port)) {
            throw ApiError.invalid("port must be a whole number from 1 to 65535");
        }
        if (Caller.of(ctx).kind() == Caller.Kind.WORKSPACE) {
            throw ApiError.forbidden("people open web previews, agents do not");
        }
        if (domain == null) {
            throw ApiError.conflict(OFF);
        }
        String base = baseOf(ctx, domain);
        var host = new PreviewHost(id, (int) port);
        String bearer = Bearer.of(ctx.request());
        Answers.json(
                ctx,
                201,
                targets.of(host, Future::succeededFuture)
                        .compose(known -> targets.list(id))
                        .map(ports -> {
                            if (!ports.contains(host.port())) {
                                throw ApiError.conflict(nothingAt(host.port(), ports));
                            }
                            String code = sessions.offer(host, bearer == null ? null : Credentials.hashOf(bearer));
                            return Json.object()
                                    .put("url", base.formatted(host.label()) + PreviewDoor.OPEN_PATH + "?code=" + code)
                                    .put(
                                            "expires_at",
                                            clock.instant()
                                                    .plus(PreviewSessions.CODE_LIFE)
                                                    .toString());
                        }));
    }

    /** Scheme and port as whoever asks came here; {@code %s} stands for the label. */
    private String baseOf(RoutingContext ctx, String domain) {
        String origin = edge.originOf(ctx.request());
        int separator = origin.indexOf("://");
        var authority = AUTHORITY.matcher(origin.substring(separator + "://".length()));
        boolean readable = authority.matches();
        boolean local = domain.equals(LOCAL) || domain.endsWith("." + LOCAL);
        if (local && !(readable && THIS_MACHINE.contains(authority.group(1)))) {
            throw ApiError.conflict(
                    "Names under %s lead to the browser's own machine. Open the console there at http://127.0.0.1, or have the operator set MOLECULE_AGENTS_HOST to a domain of yours."
                            .formatted(domain));
        }
        String port = readable && authority.group(2) != null ? authority.group(2) : "";
        return origin.substring(0, separator) + "://%s." + domain + port;
    }

    private static String nothingAt(int port, List<Integer> ports) {
        String others = ports.isEmpty()
                ? "it listens at none that can be shown. Start its web server first"
                : "it listens at " + ports.stream().map(String::valueOf).collect(Collectors.joining(", "));
        return "The agent does not listen at port %d of 127.0.0.1: %s.".formatted(port, others);
    }

    private static ObjectNode listed(List<Integer> ports, @Nullable String reason) {
        var body = Json.object();
        var array = body.putArray("ports");
        ports.forEach(array::add);
        return body.put("reason", reason);
    }
}
