package ai.molecule.provisioner.process;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.common.config.Env;
import ai.molecule.provisioner.containers.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StartingTheRuntimeTest {

    @Test
    void an_agents_heap_grows_with_its_tier(@TempDir Path folder) throws IOException {
        var jar = Files.createFile(folder.resolve("runtime.jar"));
        var mark = AgentMark.of(folder, UUID.randomUUID());
        var tiers = Tier.fromEnv(new Env(Map.of("TIER4_MEMORY_MB", "8192")));

        assertThat(new RuntimeJar(jar).of(mark, Tier.of(tiers, 2))).contains("-Xmx128m");
        assertThat(new RuntimeJar(jar).of(mark, Tier.of(tiers, 3))).contains("-Xmx512m");
        assertThat(new RuntimeJar(jar).of(mark, Tier.of(tiers, 4))).contains("-Xmx2048m");
    }
}
