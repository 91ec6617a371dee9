package ai.molecule.system.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code docker/pin} on a copy of what it reads and writes, with a command in place of {@code docker} that knows every image but one. */
class PinningImagesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** Answers the two questions that are asked of it. */
    private static final String DOCKER = """
            #!/usr/bin/env bash
            name=${!#}
            case $1 in
              pull) [ "$name" != "$MISSING" ] ;;
              image) echo "elsewhere/mirror@sha256:$(printf 0%.0s {1..64})"; echo "${name%:*}@sha256:$(printf %s "$name" | sha256sum | cut -c1-64)" ;;
            esac
            """;

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path copy;

    @BeforeEach
    void copyTheTree() throws IOException {
        for (String folder : new String[] {"docker", "k8s"}) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    keep(file);
                }
            }
        }
        keep(ROOT.resolve("docker-compose.yml"));
        keep(ROOT.resolve("workspace-runtime/Dockerfile"));
        Files.deleteIfExists(copy.resolve("docker/images.lock"));
        Path docker = Files.createDirectories(copy.resolve("bin")).resolve("docker");
        Files.writeString(docker, DOCKER);
        assertThat(docker.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void every_image_of_others_gets_its_digest_in_compose_and_in_the_overlay_that_runs_it() throws Exception {
        assertThat(pin(Map.of())).isZero();
        var once = Files.readString(copy.resolve("k8s/overlays/dev/kustomization.yaml"));
        assertThat(pin(Map.of())).isZero();

        assertThat(Files.readString(copy.resolve("docker/images.lock")))
                .contains(
                        "JRE_IMAGE=eclipse-temurin@sha256:",
                        "POSTGRES_IMAGE=postgres@sha256:",
                        "REDIS_IMAGE=redis@sha256:");
        assertThat(images("dev")).isEqualTo(Set.of("postgres", "redis"));
        assertThat(images("prod")).isEmpty();
        assertThat(once).startsWith(Files.readString(ROOT.resolve("k8s/overlays/dev/kustomization.yaml")));
        assertThat(Files.readString(copy.resolve("k8s/overlays/dev/kustomization.yaml")))
                .as("a second run replaces what the first wrote")
                .isEqualTo(once);
    }

    @Test
    void our_own_are_pinned_where_they_were_pushed() throws Exception {
        assertThat(pin(Map.of("MOLECULE_IMAGES", "registry.example.com/molecule/")))
                .isZero();

        assertThat(Kustomization.read(copy.resolve("k8s/overlays/prod")).imageList())
                .hasSize(4)
                .allSatisfy(image -> {
                    assertThat(image.newName()).isEqualTo("registry.example.com/" + image.name());
                    assertThat(image.digest()).matches("sha256:[0-9a-f]{64}").doesNotMatch("sha256:0+");
                });
    }

    @Test
    void where_one_cannot_be_had_nothing_is_changed() throws Exception {
        var before = Files.readString(copy.resolve("k8s/overlays/dev/kustomization.yaml"));

        assertThat(pin(Map.of("MISSING", "redis:8-alpine"))).isNotZero();

        assertThat(copy.resolve("docker/images.lock")).doesNotExist();
        assertThat(Files.readString(copy.resolve("k8s/overlays/dev/kustomization.yaml")))
                .isEqualTo(before);
    }

    private Set<String> images(String overlay) throws IOException {
        var images = Kustomization.read(copy.resolve("k8s/overlays/" + overlay)).imageList();
        assertThat(images).allSatisfy(image -> assertThat(image.digest()).matches("sha256:[0-9a-f]{64}"));
        return images.stream().map(Kustomization.Image::name).collect(Collectors.toSet());
    }

    private int pin(Map<String, String> more) throws IOException, InterruptedException {
        var builder = new ProcessBuilder(copy.resolve("docker/pin").toString())
                .redirectErrorStream(true)
                .redirectOutput(copy.resolve("pin.out").toFile());
        var environment = builder.environment();
        environment
                .keySet()
                .removeAll(Set.of("JRE_IMAGE", "POSTGRES_IMAGE", "REDIS_IMAGE", "MOLECULE_IMAGES", "MISSING"));
        environment.merge("PATH", copy.resolve("bin").toString(), (path, first) -> first + ":" + path);
        environment.putAll(more);
        var process = builder.start();
        assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
        return process.exitValue();
    }

    private void keep(Path file) throws IOException {
        Path kept = copy.resolve(ROOT.relativize(file));
        Files.createDirectories(kept.getParent());
        Files.copy(file, kept);
    }
}
