package ai.molecule.system.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** What {@code k8s/} describes is the platform: its variables, ports, probes, flows and rights. */
class ManifestsTest {

    @SuppressWarnings("unused") // by name
    private static final java.util.List<String> ALL = Manifests.ALL;

    @ParameterizedTest
    @FieldSource("ALL")
    void the_manifests_describe_the_services_as_they_are(String where, @TempDir Path scratch) {
        assertThat(Manifests.complaints(Manifests.FOLDER, where, scratch)).isEmpty();
    }
}
