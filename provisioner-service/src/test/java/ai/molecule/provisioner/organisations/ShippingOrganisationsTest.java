package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.json.Json;
import ai.molecule.provisioner.backend.FilePath;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example organisations: listed whole, importable as they are, and never laid over what a user made of them. */
class ShippingOrganisationsTest {

    private static final Path SOURCES = Path.of("src/main/resources/organisations");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path folder;

    @Test
    void every_file_is_listed_in_the_index() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            var names = files.filter(Files::isRegularFile)
                    .map(file -> SOURCES.relativize(file).toString())
                    .filter(name -> !name.equals("index.txt"))
                    .sorted()
                    .collect(Collectors.joining("\n"));

            assertThat(Files.readString(SOURCES.resolve("index.txt")).strip()).isEqualTo(names);
        }
    }

    @Test
    void each_can_be_imported_without_a_warning() throws IOException {
        ShippedOrganisations.copyTo(folder);
        var nowhere = folder.resolve("nowhere");

        for (var described : new OrgLibrary(folder).list()) {
            var found = new OrgLibrary(folder).folder(described.path("dir").asText());
            var file = FilePath.of("org.yaml");
            var written = OrgYaml.read(found, file, found.read(file).orElseThrow());
            var planner =
                    new OrgPlanner(OrgTemplate.of(written), found, new OrgSettings(folder, nowhere, nowhere, Map.of()));

            assertThat(planner.plan()).hasSize(described.path("workspaces").asInt());
            assertThat(planner.warnings()).isEmpty();
            assertThat(OrgSchema.unknownIn(written, 10)).isEmpty();
        }
        assertThat(Json.text(new OrgLibrary(folder).list())).contains("\"demo\"", "\"studio\"");
    }

    @Test
    void what_a_user_made_of_one_stays() throws IOException {
        Files.createDirectories(folder.resolve("demo"));
        Files.writeString(folder.resolve("demo/org.yaml"), "mine");

        ShippedOrganisations.copyTo(folder);
        ShippedOrganisations.copyTo(folder);

        assertThat(folder.resolve("demo/org.yaml")).hasContent("mine");
        assertThat(folder.resolve("studio/org.yaml")).exists();
    }
}
