package ai.molecule.runtime.processes;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryLimitTest {

    @TempDir
    private Path folder;

    @Test
    void the_lower_of_the_processs_and_the_control_groups_counts() throws Exception {
        Path limits = Files.writeString(folder.resolve("limits"), """
                Limit                     Soft Limit           Hard Limit           Units
                Max data size             536870912            536870912            bytes
                Max stack size            8388608              unlimited            bytes
                """);
        Path unlimited = Files.writeString(
                folder.resolve("unlimited"), "Max data size             unlimited            unlimited            bytes\n");
        Path group = Files.writeString(folder.resolve("memory.max"), "1073741824\n");
        Path open = Files.writeString(folder.resolve("open"), "max\n");
        Path none = folder.resolve("none");

        assertThat(MemoryLimit.bytes(limits, group)).isEqualTo(512L << 20);
        assertThat(MemoryLimit.bytes(unlimited, group)).isEqualTo(1L << 30);
        assertThat(MemoryLimit.bytes(unlimited, open)).isEqualTo(Long.MAX_VALUE);
        assertThat(MemoryLimit.bytes(none, none)).isEqualTo(Long.MAX_VALUE);
    }
}
