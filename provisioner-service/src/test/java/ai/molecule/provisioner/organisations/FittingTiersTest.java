package ai.molecule.provisioner.organisations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ai.molecule.common.bus.registry.CreateWorkspaces.Item;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Imports of programs that want more memory than a tier gives, where each process is held to its tier. */
class FittingTiersTest {

    private static final String REFUSAL = "claude-code needs 1024 MB of memory, and tier 2 has 512 MB here:"
            + " give it tier 3, or set TIER2_MEMORY_MB";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private static Path folder;

    @SuppressWarnings("NullAway.Init")
    private static ServedOrganisations served;

    @BeforeAll
    static void start() {
        assumeTrue(
                Files.isExecutable(Path.of("/usr/bin/prlimit")),
                "this machine has no prlimit, so it holds nobody back");
        served = new ServedOrganisations(folder);
    }

    @AfterAll
    @SuppressWarnings("NullAway") // null where nothing was begun
    static void stop() {
        if (served != null) {
            served.close();
        }
    }

    @Test
    void an_organisation_that_says_a_tier_too_small_is_refused_in_words_and_nothing_is_made() {
        served.registry.forgetAll();
        served.write("org-templates/small/org.yaml", """
                defaults: {runtime: claude-code, tier: 2}
                workspaces: [{name: Coder}]
                """);

        var answer = served.importDir("small");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body().toString()).contains("workspace \\\"Coder\\\": " + REFUSAL);
        assertThat(served.registry.imports.created()).isEmpty();
    }

    @Test
    void one_that_says_none_gets_a_tier_that_fits_the_others_the_one_they_always_had() {
        served.registry.forgetAll();
        served.write("org-templates/unsaid/org.yaml", """
                workspaces: [{name: Coder, runtime: claude_code}, {name: Other, runtime: echo}]
                """);

        assertThat(served.importDir("unsaid").status()).isEqualTo(201);

        assertThat(served.registry.imports.created())
                .extracting(Item::name, made -> made.agent().tier())
                .containsExactly(tuple("Coder", 3), tuple("Other", 2));
    }

    @Test
    void of_a_command_of_ones_own_nobody_knows_what_it_needs() {
        served.registry.forgetAll();
        served.write("org-templates/own/org.yaml", """
                workspaces: [{name: Coder, runtime: claude-code, tier: 1, files_dir: coder}]
                """)
                .write("org-templates/own/coder/config.yaml", "runtime_config:\n  command: ./mine --now\n");

        assertThat(served.importDir("own").status()).isEqualTo(201);
    }

    @Test
    void a_bundle_is_refused_in_the_same_words() {
        var answer = served.post(
                "/bundles/import",
                "{\"schema\":\"1.0\",\"name\":\"Coder\",\"tier\":2,\"prompts\":{\"config.yaml\":\"runtime: claude-code\\n\"}}");

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.error()).isEqualTo("workspace \"Coder\": " + REFUSAL);
    }
}
