package ai.molecule.registry.cards;

import ai.molecule.common.ApiError;
import ai.molecule.common.auth.Bearer;
import ai.molecule.common.auth.Caller;
import ai.molecule.common.auth.Guard;
import ai.molecule.common.auth.Guards;
import ai.molecule.common.auth.Ids;
import ai.molecule.common.config.Door;
import ai.molecule.common.config.PlatformConfig;
import ai.molecule.common.http.Answers;
import ai.molecule.common.http.Edge;
import ai.molecule.common.http.NamedTenant;
import ai.molecule.common.http.PathIds;
import ai.molecule.common.json.Json;
import ai.molecule.registry.discovery.FrontDoorAddress;
import ai.molecule.registry.discovery.PgDiscoveryStore;
import ai.molecule.registry.discovery.Strangers;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** What A2A clients read before they converse: the card of one agent, that of the organisation, and whom there is to talk to. */
public final class CardRoutes {

    private static final int LISTED = 200;
    private static final int LISTED_MAX = 1_000;

    private final PgCardStore cards;
    private final PgDiscoveryStore near;
    private final Strangers strangers;
    private final Guards guards;
    private final Edge edge;
    private final FrontDoorAddress frontDoor;
    private final CardSignatures signatures;
    private final boolean locked;
    private final @Nullable String orgId;

    public CardRoutes(
            PgCardStore cards,
            PgDiscoveryStore near,
            Guards guards,
            PlatformConfig platform,
            FrontDoorAddress frontDoor,
            CardSignatures signatures) {
        this.cards = cards;
        this.near = near;
        this.strangers = new Strangers(near);
        this.guards = guards;
        this.edge = new Edge(platform);
        this.frontDoor = frontDoor;
        this.signatures = signatures;
        this.locked = !platform.isOpen(Door.MESSAGES);
        this.orgId = platform.orgId();
    }

    /** {@code GET /workspaces/:id/.well-known/agent-card.json}: any credential's, and everybody's where it is public. */
    public void card(RoutingContext ctx) {
        UUID id = PathIds.workspace(ctx);
        var unknown = ApiError.notFound("workspace not found");
        // of people the guard has asked whether they may look there
        answer(ctx, cards.find(id).map(found -> found.orElseThrow(() -> unknown)), unknown, caller -> null);
    }

    /** {@code GET /.well-known/agent-card.json}: that of the one root, or the named tenant's; an organisation of several has no voice of its own. */
    public void organisation(RoutingContext ctx) {
        var none = ApiError.notFound("no single agent leads this organisation, see /.well-known/agents");
        var root = cards.roots(NamedTenant.of(ctx.request(), orgId), 2).map(roots -> {
            if (roots.size() != 1) {
                throw none;
            }
            return roots.getFirst();
        });
        answer(ctx, root, none, Caller::branchesOnly);
    }

    /**
     * {@code {"agents":[{"id","name","description","status","card_url"}],"signatures":[…]}}, those that the caller may talk to, in the order of their
     * ids; of people with a role for branches or tenants, those in them; of a tenant that is named, that one's.
     */
    public void catalog(RoutingContext ctx) {
        int limit = limitOf(ctx.request().getParam("limit"));
        UUID after = afterOf(ctx.request().getParam("after"));
        String tenant = NamedTenant.of(ctx.request(), orgId);
        Answers.json(
                ctx,
                guards.check(Guard.CREDENTIAL, ctx)
                        .compose(may -> guards.whose(Bearer.of(ctx.request())))
                        .compose(Caller::refuseSuspended)
                        .compose(caller -> caller.workspaceId() == null
                                ? cards.list(null, caller.branchesOnly(), tenant, after, limit)
                                : peersOf(caller.workspaceId(), after, limit))
                        .map(found -> catalog(ctx.request(), found)));
    }

    private Future<List<CardHolder>> peersOf(UUID caller, @Nullable UUID after, int limit) {
        return near.neighbours(caller).compose(peers -> cards.list(peers.orElse(List.of()), null, null, after, limit));
    }

    private ObjectNode catalog(HttpServerRequest request, List<CardHolder> found) {
        var body = Json.object();
        var agents = body.putArray("agents");
        for (var holder : found) {
            String address = addressOf(request, holder);
            agents.addObject()
                    .put("id", holder.id().toString())
                    .put("name", holder.name())
                    .put("description", Optional.ofNullable(holder.role()).orElse(""))
                    .put("status", holder.status().wire())
                    .put("card_url", address.substring(0, address.lastIndexOf('/')) + "/.well-known/agent-card.json");
        }
        signatures.sign(body, List.of(), CardSignatures.CATALOG, platformOf(request));
        return body;
    }

    /**
     * Who may not know gets the same answer whether there is such a workspace or not.
     *
     * @param unknown what an agent of another tenant is told, as of one that there is not
     * @param roots of whose cards alone the caller may know; null for all
     */
    private void answer(
            RoutingContext ctx,
            Future<CardHolder> sought,
            ApiError unknown,
            Function<Caller, @Nullable List<UUID>> roots) {
        var version = CardVersion.of(Optional.ofNullable(ctx.request().getHeader(CardVersion.HEADER))
                .orElse(ctx.request().getParam(CardVersion.HEADER)));
        guards.check(Guard.CREDENTIAL, ctx)
                .compose(caller -> sought.compose(found -> knows(caller, found.id(), roots.apply(caller))))
                .<Void>compose(known -> known ? Future.succeededFuture() : Future.failedFuture(unknown))
                .recover(refused -> sought.otherwiseEmpty()
                        .compose(found -> found != null && found.shownToAnybody()
                                ? Future.succeededFuture()
                                : Future.failedFuture(refused)))
                .compose(may -> guards.whose(Bearer.of(ctx.request())))
                .compose(caller -> sought.map(found -> signed(ctx.request(), found, caller, version)))
                .onSuccess(card -> send(ctx, card))
                .onFailure(ctx::fail);
    }

    private Future<Boolean> knows(Caller caller, UUID id, @Nullable List<UUID> roots) {
        return roots != null && !roots.contains(id)
                ? Future.succeededFuture(false)
                : strangers.areTo(caller, id).map(strange -> !strange);
    }

    private ObjectNode signed(HttpServerRequest request, CardHolder holder, Caller caller, CardVersion version) {
        var shown = shown(request, holder, caller);
        var card = shown.in(version);
        signatures.sign(card, shown.readings(card, version), CardSignatures.CARD, platformOf(request));
        return card;
    }

    private ShownCard shown(HttpServerRequest request, CardHolder holder, Caller caller) {
        return new ShownCard(
                Json.stored(holder.card()),
                !holder.borrowsName(),
                holder.name(),
                Optional.ofNullable(holder.role()).orElse(""),
                addressOf(request, holder),
                locked,
                !frontDoor.hides(caller));
    }

    private String addressOf(HttpServerRequest request, CardHolder holder) {
        return frontDoor.addressOf(holder.id(), edge.originOf(request));
    }

    private String platformOf(HttpServerRequest request) {
        return frontDoor.originOf(edge.originOf(request));
    }

    private static void send(RoutingContext ctx, ObjectNode card) {
        var body = Json.bytes(card);
        String tag = "\"" + UUID.nameUUIDFromBytes(body) + "\"";
        ctx.response().putHeader("ETag", tag).putHeader("Cache-Control", "private, max-age=30");
        ctx.response().headers().add("Vary", CardVersion.HEADER + ", Authorization, Host");
        if (tag.equals(ctx.request().getHeader("If-None-Match"))) {
            ctx.response().setStatusCode(304).end();
        } else {
            Answers.bytes(ctx, 200, Buffer.buffer(body));
        }
    }

    private static int limitOf(@Nullable String limit) {
        if (limit == null) {
            return LISTED;
        }
        if (!limit.matches("\\d{1,4}") || Integer.parseInt(limit) == 0) {
            throw ApiError.invalid("limit must be a positive integer");
        }
        return Math.min(LISTED_MAX, Integer.parseInt(limit));
    }

    private static @Nullable UUID afterOf(@Nullable String after) {
        return after == null || after.isEmpty()
                ? null
                : Ids.find(after).orElseThrow(() -> ApiError.invalid("after must be the id of a workspace"));
    }
}
