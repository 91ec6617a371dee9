package ai.molecule.system.kubernetes;

import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** How many there are, how one is replaced by the next, and that what selects pods selects the right ones. */
final class RolloutChecks {

    /** What a replica opens at most: its pool (10) and the sessions of the registry and the sequencer. */
    static final int CONNECTIONS_MAX = 12;

    private final Rendered rendered;
    private final List<String> complaints = new ArrayList<>();

    private RolloutChecks(Rendered rendered) {
        this.rendered = rendered;
    }

    static List<String> of(Rendered rendered) {
        var checks = new RolloutChecks(rendered);
        for (var service : Served.values()) {
            checks.replaced(service);
            checks.spread(service);
        }
        rendered.all(HorizontalPodAutoscaler.class).forEach(checks::scaled);
        rendered.all(Service.class)
                .forEach(service -> checks.selects(
                        "the service " + service.getMetadata().getName(),
                        service.getSpec().getSelector()));
        return checks.complaints;
    }

    /** Together with what is added while an update runs. */
    static int connectionsMax(Rendered rendered) {
        return rendered.all(Deployment.class)
                .mapToInt(deployment -> (replicasMax(rendered, deployment) + 1) * CONNECTIONS_MAX)
                .sum();
    }

    private static int replicasMax(Rendered rendered, Deployment deployment) {
        return rendered.all(HorizontalPodAutoscaler.class)
                .filter(scaler -> scaler.getSpec()
                        .getScaleTargetRef()
                        .getName()
                        .equals(deployment.getMetadata().getName()))
                .map(scaler -> scaler.getSpec().getMaxReplicas())
                .findFirst()
                .orElse(Objects.requireNonNullElse(deployment.getSpec().getReplicas(), 1));
    }

    private void replaced(Served service) {
        String name = service.deployment();
        var spec = rendered.deployment(service).getSpec();
        var labels = spec.getTemplate().getMetadata().getLabels();
        var strategy = spec.getStrategy().getRollingUpdate();
        expect(
                name,
                "is there while it is replaced",
                "RollingUpdate".equals(spec.getStrategy().getType())
                        && strategy != null
                        && Objects.equals(strategy.getMaxUnavailable().getIntVal(), 0)
                        && Objects.equals(strategy.getMaxSurge().getIntVal(), 1));
        expect(name, "selects its own pods", isOf(service, spec.getSelector(), labels));
        var budgets = rendered.all(PodDisruptionBudget.class)
                .filter(budget -> isOf(service, budget.getSpec().getSelector(), labels))
                .toList();
        expect(
                name,
                "is moved one at a time",
                budgets.size() == 1
                        && Objects.equals(
                                budgets.getFirst().getSpec().getMaxUnavailable().getIntVal(), 1));
    }

    private void spread(Served service) {
        var template = rendered.deployment(service).getSpec().getTemplate();
        var keys = template.getSpec().getTopologySpreadConstraints().stream()
                .filter(spread -> isOf(
                        service,
                        spread.getLabelSelector(),
                        template.getMetadata().getLabels()))
                .map(spread -> spread.getTopologyKey())
                .toList();
        expect(
                service.deployment(),
                "is spread over zones and nodes",
                keys.equals(List.of("topology.kubernetes.io/zone", "kubernetes.io/hostname")));
    }

    private void scaled(HorizontalPodAutoscaler scaler) {
        String name = scaler.getSpec().getScaleTargetRef().getName();
        var targets = rendered.all(Deployment.class)
                .filter(deployment -> deployment.getMetadata().getName().equals(name))
                .toList();
        expect(
                name,
                "is there to be scaled, and nobody else counts it",
                targets.size() == 1
                        && scaler.getMetadata().getName().equals(name)
                        && targets.getFirst().getSpec().getReplicas() == null);
        expect(
                name,
                "has a second one",
                scaler.getSpec().getMinReplicas() >= 2
                        && scaler.getSpec().getMaxReplicas() >= scaler.getSpec().getMinReplicas());
    }

    /** It may have more labels than the selector asks for, but those of another service must not do. */
    private boolean isOf(Served service, @Nullable LabelSelector selector, Map<String, String> labels) {
        return selector != null
                && !selector.getMatchLabels().isEmpty()
                && labels.entrySet().containsAll(selector.getMatchLabels().entrySet())
                && PodTemplates.of(rendered)
                                .filter(template -> Addresses.matches(selector.getMatchLabels(), template))
                                .count()
                        == 1
                && service.deployment().equals(labels.get("app.kubernetes.io/name"));
    }

    private void selects(String what, Map<String, String> selector) {
        expect(what, "selects pods", PodTemplates.of(rendered).anyMatch(pod -> Addresses.matches(selector, pod)));
    }

    private void expect(String name, String does, boolean holds) {
        if (!holds) {
            complaints.add("it does not hold that %s %s".formatted(name, does));
        }
    }
}
