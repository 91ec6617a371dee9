package ai.molecule.system.kubernetes;

import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.util.stream.Stream;

/** Of everything that makes pods. */
final class PodTemplates {

    private PodTemplates() {}

    static Stream<PodTemplateSpec> of(Rendered rendered) {
        return Stream.concat(
                rendered.all(Deployment.class)
                        .map(deployment -> deployment.getSpec().getTemplate()),
                rendered.all(StatefulSet.class).map(set -> set.getSpec().getTemplate()));
    }
}
