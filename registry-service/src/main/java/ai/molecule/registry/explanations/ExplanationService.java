package ai.molecule.registry.explanations;

import ai.molecule.common.bus.registry.JudgeCall;
import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.common.bus.registry.ResolveRoute;
import ai.molecule.registry.discovery.Location;
import ai.molecule.registry.discovery.PgDiscoveryStore;
import ai.molecule.registry.endpoints.PgEndpointStore;
import ai.molecule.registry.explanations.Explanation.Party;
import ai.molecule.registry.policy.PolicyService;
import io.vertx.core.Future;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Looks up what {@link Explanation} decides by: what the proxy would ask, read at about the same moment. */
public record ExplanationService(PgDiscoveryStore places, PgEndpointStore endpoints, PolicyService policy) {

    /**
     * @param caller null for a person
     * @param verdicts what {@link #judge} said
     */
    Future<Explanation> explain(@Nullable UUID caller, UUID target, List<Verdict> verdicts) {
        var concerned =
                Stream.of(target, caller).filter(Objects::nonNull).distinct().toList();
        return places.locate(concerned)
                .compose(located -> places.locate(parentsOf(concerned, located)).compose(above -> {
                    var to = party(target, located, above);
                    return caller == null
                            ? to.map(known -> Explanation.of(null, known, verdicts))
                            : party(caller, located, above)
                                    .compose(from -> to.map(known -> Explanation.of(from, known, verdicts)));
                }));
    }

    /** What rules say of a call. */
    Future<List<Verdict>> judge(JudgeCall call) {
        return policy.judge(call).map(JudgeCall.Verdicts::verdicts);
    }

    private Future<Party> party(UUID id, Map<UUID, Location> located, Map<UUID, Location> above) {
        var at = located.get(id);
        UUID parent = at == null ? null : at.parentId();
        var parentAt = parent == null ? null : above.get(parent);
        return endpoints
                .resolve(new ResolveRoute(id, null))
                .map(route -> new Party(id, at, route, parentAt == null ? null : parentAt.name()));
    }

    private static List<UUID> parentsOf(List<UUID> ids, Map<UUID, Location> located) {
        return ids.stream()
                .map(located::get)
                .filter(Objects::nonNull)
                .map(Location::parentId)
                .filter(Objects::nonNull)
                .distinct()
                .toList();
    }
}
