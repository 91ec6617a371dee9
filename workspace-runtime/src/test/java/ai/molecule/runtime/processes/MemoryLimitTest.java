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
    void it_is_what_the_system_says_of_this_process_or_none() throws Exception {
        Path limited = Files.writeString(folder.resolve("limited"), """
                Limit                     Soft Limit           Hard Limit           Units
                Max stack size            8388608              unlimited            bytes
                Max data size             536870912            536870912            bytes
                """);
        Path unlimited = Files.writeString(
                folder.resolve("unlimited"),
                "Max data size             unlimited            unlimited            bytes\n");

        assertThat(MemoryLimit.bytes(limited)).isEqualTo(512L << 20);
        assertThat(MemoryLimit.bytes(unlimited)).isEqualTo(Long.MAX_VALUE);
        assertThat(MemoryLimit.bytes(folder.resolve("none"))).isEqualTo(Long.MAX_VALUE);
    }
}
