package ai.molecule.system.kubernetes;

import ai.molecule.testkit.Documents;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** Everything that is wrong with a folder of manifests, in sentences. */
final class Manifests {

    static final Path ROOT = Path.of("..");
    static final Path FOLDER = ROOT.resolve("k8s");
    static final Path DOCUMENTATION = Documents.KUBERNETES;

    /** As the table of docs/kubernetes.md calls them. */
    static final List<String> ALL = List.of("base", "dev", "prod");

    private static final Pattern CONNECTIONS = Pattern.compile("`max_connections` of at least (\\d+)");

    private Manifests() {}

    /**
     * @param folder like {@link #FOLDER}
     * @param scratch an empty folder
     */
    static List<String> complaints(Path folder, String where, Path scratch) {
        try {
            var place = where.equals("base")
                    ? folder.resolve("base")
                    : folder.resolve("overlays").resolve(where);
            var complaints = new ArrayList<>(FileChecks.of(place));
            if (!complaints.isEmpty()) {
                return complaints;
            }
            var rendered = Rendered.of(place);
            var secrets = Secrets.of(DOCUMENTATION, Values.all());
            complaints.addAll(rendered.complaints());
            if (!complaints.isEmpty()) {
                return complaints;
            }
            complaints.addAll(ServiceChecks.of(rendered, scratch, secrets));
            complaints.addAll(PodChecks.of(rendered, ROOT, secrets));
            complaints.addAll(RolloutChecks.of(rendered));
            complaints.addAll(FlowChecks.of(rendered, where, DOCUMENTATION));
            complaints.addAll(RightsChecks.of(rendered));
            complaints.addAll(RoleChecks.of(rendered, secrets));
            connections(rendered, complaints);
            return complaints;
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** PostgreSQL is told how many connections to expect: by the documentation, or by us where it is ours. */
    private static void connections(Rendered rendered, List<String> complaints) throws IOException {
        var ours = rendered.all(StatefulSet.class)
                .flatMap(set -> set.getSpec().getTemplate().getSpec().getContainers().getFirst().getArgs().stream())
                .filter(argument -> argument.startsWith("max_connections="))
                .map(argument -> Integer.parseInt(argument.replace("max_connections=", "")))
                .findFirst();
        var documented = CONNECTIONS.matcher(Files.readString(DOCUMENTATION));
        int expected = ours.orElseGet(() -> documented.find() ? Integer.parseInt(documented.group(1)) : 0);
        if (RolloutChecks.connectionsMax(rendered) > expected) {
            complaints.add("%d connections may be opened, PostgreSQL expects %d"
                    .formatted(RolloutChecks.connectionsMax(rendered), expected));
        }
    }
}
