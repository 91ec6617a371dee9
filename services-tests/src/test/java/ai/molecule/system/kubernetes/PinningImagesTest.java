package ai.molecule.system.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code docker/pin} on a copy of what it reads and writes, with a command in place of {@code docker} that knows every image but one; and what {@code docker/build-images} makes of the lock. */
class PinningImagesTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** Answers the two questions that are asked of it. */
    private static final String DOCKER = """
            #!/usr/bin/env bash
            name=${!#}
            case $1 in
              pull) [ "$name" != "$MISSING" ] ;;
              image) [ "$name" != "$MISSING" ] || exit 1
                echo "elsewhere/mirror@sha256:$(printf 0%.0s {1..64})"; echo "${name%:*}@sha256:$(printf %s "$name" | sha256sum | cut -c1-64)" ;;
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
        keep(ROOT.resolve("workspace-runtime/programs.Dockerfile"));
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
                        "REDIS_IMAGE=redis@sha256:",
                        "NODE_IMAGE=node@sha256:");
        assertThat(pin(Map.of(), "--check")).isZero();
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

    @Test
    void the_lock_that_is_kept_pins_what_compose_and_the_dockerfiles_name() throws Exception {
        keep(ROOT.resolve("docker/images.lock"));
        var kept = Files.readString(copy.resolve("docker/images.lock"));

        assertThat(pin(Map.of(), "--check")).isZero();
        assertThat(pin(Map.of())).isZero();

        assertThat(names(kept)).isEqualTo(names(Files.readString(copy.resolve("docker/images.lock"))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "REDIS_IMAGE=redis:7-alpine", "REDIS_IMAGE=redis@sha256:6ab0", "%1$s\n%1$s"})
    void nothing_is_built_where_the_lock_does_not_say_one_digest(String line) throws Exception {
        var lock = Files.readString(ROOT.resolve("docker/images.lock"));
        String right = lock.lines()
                .filter(each -> each.startsWith("REDIS_IMAGE="))
                .findFirst()
                .orElseThrow();
        Files.writeString(copy.resolve("docker/images.lock"), lock.replace(right, line.formatted(right)));

        assertThat(run("build-images", Map.of("BUILT", "."))).isNotZero();

        assertThat(output())
                .isEqualTo("pin: docker/images.lock does not say which REDIS_IMAGE is meant, by one digest;"
                        + " docker/pin writes it anew\n");
    }

    @Test
    void who_has_no_lock_is_told_and_who_cannot_have_what_it_pins_too() throws Exception {
        assertThat(run("build-images", Map.of("BUILT", "."))).isNotZero();
        assertThat(output()).contains("docker/images.lock").contains("docker/pin writes it anew");

        keep(ROOT.resolve("docker/images.lock"));
        String jre = Files.readString(ROOT.resolve("docker/images.lock"))
                .lines()
                .filter(each -> each.startsWith("JRE_IMAGE="))
                .map(each -> each.substring("JRE_IMAGE=".length()))
                .findFirst()
                .orElseThrow();
        assertThat(run("build-images", Map.of("BUILT", ".", "MISSING", jre))).isNotZero();
        assertThat(output()).contains(jre + " cannot be had");
    }

    /** The images by tag, as the comments of a lock say them. */
    private static Set<String> names(String lock) {
        return lock.lines()
                .filter(line -> line.startsWith("# "))
                .map(line -> line.split(" ")[1])
                .collect(Collectors.toSet());
    }

    private String output() throws IOException {
        return Files.readString(copy.resolve("pin.out"));
    }

    private Set<String> images(String overlay) throws IOException {
        var images = Kustomization.read(copy.resolve("k8s/overlays/" + overlay)).imageList();
        assertThat(images).allSatisfy(image -> assertThat(image.digest()).matches("sha256:[0-9a-f]{64}"));
        return images.stream().map(Kustomization.Image::name).collect(Collectors.toSet());
    }

    private int pin(Map<String, String> more, String... arguments) throws IOException, InterruptedException {
        return run("pin", more, arguments);
    }

    private int run(String script, Map<String, String> more, String... arguments)
            throws IOException, InterruptedException {
        List<String> command =
                new ArrayList<>(List.of(copy.resolve("docker").resolve(script).toString()));
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(copy.resolve("pin.out").toFile());
        var environment = builder.environment();
        environment
                .keySet()
                .removeAll(Set.of(
                        "JRE_IMAGE", "POSTGRES_IMAGE", "REDIS_IMAGE", "NODE_IMAGE", "MOLECULE_IMAGES", "MISSING"));
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
