package ai.molecule.registry.explanations;

import ai.molecule.common.bus.registry.JudgeCall.Verdict;
import ai.molecule.common.bus.registry.ResolveRoute.Route;
import ai.molecule.common.workspaces.AccessRule;
import ai.molecule.common.workspaces.Delivery;
import ai.molecule.common.workspaces.WorkspaceStatus;
import ai.molecule.registry.discovery.Location;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Which rule decides whether a message is let through: the first that refuses it, in the order in which the proxy asks
 * (docs/wire/proxy.md, Order of checks), else the one that lets it. Pure.
 *
 * @param rule what a program tells it by
 * @param says a sentence for a person
 */
record Explanation(boolean allowed, String rule, String says) {

    /**
     * A workspace as the rules see it.
     *
     * @param at null for an id that nobody has
     * @param parent the name of its parent; null for a root
     */
    record Party(
            UUID id,
            @Nullable Location at,
            Route route,
            @Nullable String parent) {

        private boolean known() {
            return at != null && route.found();
        }

        private String name() {
            return route.name();
        }

        private String ownedBy() {
            String tenant = Objects.requireNonNull(at).tenant();
            return tenant == null ? name() + " has none" : name() + " is of " + tenant;
        }

        private String place() {
            return parent == null ? name() + " is a root" : name() + " is below " + parent;
        }
    }

    /**
     * @param caller null for a person at the canvas, and for the platform
     * @param policy what rules say of it, those that refuse first
     */
    static Explanation of(@Nullable Party caller, Party target, List<Verdict> policy) {
        Optional<Explanation> far = caller == null ? Optional.empty() : nearness(caller, target);
        return far.or(() -> existence(target))
                .or(() -> quarantine(target))
                .or(() -> rules(policy))
                .or(() -> budget(target))
                .or(() -> caller == null ? Optional.empty() : pause(caller))
                .or(() -> address(target))
                .orElseGet(() -> through(caller, target));
    }

    private static Optional<Explanation> rules(List<Verdict> policy) {
        return policy.stream()
                .filter(Verdict::enforced)
                .findFirst()
                .flatMap(verdict -> no("policy", verdict.sentence()));
    }

    private static Optional<Explanation> nearness(Party caller, Party target) {
        if (caller.id.equals(target.id)) {
            return Optional.empty();
        }
        return existence(caller)
                .or(() -> existence(target))
                .or(() -> quarantine(caller))
                .or(() -> trust(caller))
                .or(() -> trust(target))
                .or(() -> tree(caller, target));
    }

    private static Optional<Explanation> existence(Party party) {
        return party.known() ? Optional.empty() : no("existence", "no workspace has the id " + party.id);
    }

    private static Optional<Explanation> quarantine(Party party) {
        return party.route.quarantined()
                ? no(
                        "quarantine",
                        party.name()
                                + " is quarantined: nothing reaches it and nothing comes from it until a person releases it")
                : Optional.empty();
    }

    private static Optional<Explanation> trust(Party party) {
        boolean admitted =
                party.route.quarantined() || Objects.requireNonNull(party.at).trusted();
        return admitted
                ? Optional.empty()
                : no(
                        "admission",
                        party.name() + " registered by itself and nobody has admitted it, so it is near nobody");
    }

    private static Optional<Explanation> tree(Party caller, Party target) {
        if (related(caller, target)) {
            return Optional.empty();
        }
        return caller.parent == null && target.parent == null
                ? no(
                        "tenant",
                        "roots of different tenants are strangers: %s, %s"
                                .formatted(caller.ownedBy(), target.ownedBy()))
                : no(
                        "org chart",
                        "a workspace talks to its parent, its children and its siblings: %s, %s"
                                .formatted(caller.place(), target.place()));
    }

    private static boolean related(Party caller, Party target) {
        return AccessRule.related(
                caller.id,
                Objects.requireNonNull(caller.at).circle(),
                target.id,
                Objects.requireNonNull(target.at).circle());
    }

    private static Optional<Explanation> budget(Party target) {
        return target.route.budgetExceeded()
                ? no("budget", target.name() + " has spent its budget of this month")
                : Optional.empty();
    }

    private static Optional<Explanation> pause(Party caller) {
        return caller.route.status() == WorkspaceStatus.PAUSED
                ? no("pause", caller.name() + " is paused, and may only bring the results of work it had")
                : Optional.empty();
    }

    private static Optional<Explanation> address(Party target) {
        return target.route.hasAddress()
                ? Optional.empty()
                : no(
                        "address",
                        "%s takes no messages now: it is %s"
                                .formatted(target.name(), target.route.status().wire()));
    }

    private static Explanation through(@Nullable Party caller, Party target) {
        String how = target.route.delivery() == Delivery.POLL ? ", which fetches its messages" : "";
        if (caller == null) {
            return new Explanation(true, "person", "a person may write to " + target.name() + how);
        }
        if (caller.id.equals(target.id)) {
            return new Explanation(true, "self", target.name() + " may write to itself");
        }
        return new Explanation(
                true,
                "org chart",
                "%s may talk to %s%s: %s".formatted(caller.name(), target.name(), how, kinship(caller, target)));
    }

    private static String kinship(Party caller, Party target) {
        UUID above = Objects.requireNonNull(caller.at).parentId();
        if (target.id.equals(above)) {
            return "it is its parent";
        }
        if (caller.id.equals(Objects.requireNonNull(target.at).parentId())) {
            return "it is its child";
        }
        return above == null ? "both are roots" : "both are below " + caller.parent;
    }

    private static Optional<Explanation> no(String rule, String says) {
        return Optional.of(new Explanation(false, rule, says));
    }
}
