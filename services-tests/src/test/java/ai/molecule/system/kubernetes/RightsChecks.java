package ai.molecule.system.kubernetes;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** What the platform may ask of the cluster, and what it must not bring along. */
final class RightsChecks {

    /** Kinds that would give rights over the whole cluster, or hold a secret's value. */
    private static final Set<String> NEVER = Set.of("ClusterRole", "ClusterRoleBinding", "Secret");

    private RightsChecks() {}

    static List<String> of(Rendered rendered) {
        var complaints = new ArrayList<String>();
        rendered.objects().stream()
                .filter(object -> NEVER.contains(object.getKind()))
                .forEach(object -> complaints.add("%s has no place here".formatted(nameOf(object))));
        rendered.all(Role.class)
                .filter(role -> !role.getMetadata().getNamespace().equals(Party.AGENTS))
                .forEach(role -> complaints.add("%s is not the agents' namespace's".formatted(nameOf(role))));
        rendered.all(Role.class)
                .flatMap(role -> role.getRules().stream())
                .filter(rule -> rule.getVerbs().contains("*")
                        || rule.getResources().contains("*")
                        || rule.getApiGroups().contains("*"))
                .forEach(rule -> complaints.add("a rule allows anything: " + rule));
        rendered.all(RoleBinding.class).forEach(binding -> {
            boolean known = rendered.all(Role.class)
                    .anyMatch(role -> role.getMetadata()
                                    .getName()
                                    .equals(binding.getRoleRef().getName())
                            && role.getMetadata()
                                    .getNamespace()
                                    .equals(binding.getMetadata().getNamespace()));
            boolean provisioner = binding.getSubjects().size() == 1
                    && binding.getSubjects().getFirst().getKind().equals("ServiceAccount")
                    && binding.getSubjects().getFirst().getNamespace().equals(Party.PLATFORM)
                    && binding.getSubjects().getFirst().getName().equals(Served.PROVISIONER.deployment());
            if (!known || !provisioner) {
                complaints.add("%s gives a role to others than the provisioner".formatted(nameOf(binding)));
            }
        });
        namespaces(rendered, complaints);
        return complaints;
    }

    private static void namespaces(Rendered rendered, List<String> complaints) {
        var restricted = rendered.all(Namespace.class)
                .filter(space ->
                        "restricted".equals(space.getMetadata().getLabels().get("pod-security.kubernetes.io/enforce")))
                .map(space -> space.getMetadata().getName())
                .toList();
        if (!restricted.equals(List.of(Party.PLATFORM, Party.AGENTS))) {
            complaints.add("restricted namespaces are %s".formatted(restricted));
        }
        rendered.objects().stream()
                .filter(object -> !(object instanceof Namespace))
                .filter(object -> !restricted.contains(object.getMetadata().getNamespace()))
                .forEach(object -> complaints.add("%s is in no namespace of ours".formatted(nameOf(object))));
    }

    private static String nameOf(HasMetadata object) {
        return "%s %s".formatted(object.getKind(), object.getMetadata().getName());
    }
}
