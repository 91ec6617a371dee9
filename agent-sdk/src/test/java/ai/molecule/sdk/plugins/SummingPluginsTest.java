package ai.molecule.sdk.plugins;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checksum every client of the platform computes the same way. */
class SummingPluginsTest {

    /** SHA-256 of {@code é} in UTF-8. */
    private static final String SUM_OF_E_ACUTE = "4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c";

    @TempDir
    private Path folder;

    @Test
    void files_count_and_the_manifest_at_the_root_does_not() throws Exception {
        Files.writeString(folder.resolve("README.md"), "hello\n");
        Files.createDirectories(folder.resolve("skills/a"));
        Files.writeString(folder.resolve("skills/a/SKILL.md"), "x");
        Files.writeString(folder.resolve("plugin.yaml"), "name: whatever");

        assertThat(PluginSha256.of(folder))
                .isEqualTo("eeb3e1d50568acec70c3d7e25462d4a2b789c0ad3b6d66328601e25ca29793c4");
    }

    @Test
    void an_empty_plugin_has_a_sum() {
        assertThat(PluginSha256.of(folder))
                .isEqualTo("4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945");
    }

    @Test
    void names_outside_ascii_are_escaped() {
        assertThat(PluginSha256.ofManifest(Map.of("naïve.txt", SUM_OF_E_ACUTE)))
                .isEqualTo("bd09e5384a7fe63b4c1d6c48bf59482cec08b088d2ea97ae232fe489864357b9");
    }

    @Test
    void names_are_in_the_order_of_their_code_points() {
        var names = new TreeMap<String, String>(CodePoints.ORDER);
        Stream.of("\uE000", "\uD83D\uDE00", "b", "a/b", "a", "a.b").forEach(name -> names.put(name, ""));

        assertThat(names.keySet()).containsExactly("a", "a.b", "a/b", "b", "\uE000", "\uD83D\uDE00");
    }

    @Test
    void a_sum_is_verified_to_the_letter() {
        String right = PluginSha256.of(folder);

        PluginSha256.verify(folder, right);

        assertThatThrownBy(() -> PluginSha256.verify(folder, right.replace('4', '5')))
                .hasMessageContaining("mismatch");
        assertThatThrownBy(() -> PluginSha256.verify(folder, right.toUpperCase(java.util.Locale.ROOT)))
                .hasMessageContaining("mismatch");
        assertThatThrownBy(() -> PluginSha256.verify(folder, "abc")).hasMessageContaining("64 hex digits");
    }
}
