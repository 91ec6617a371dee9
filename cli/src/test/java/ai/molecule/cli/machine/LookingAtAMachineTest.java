package ai.molecule.cli.machine;

import static org.assertj.core.api.Assertions.assertThat;

import ai.molecule.cli.EveryCommand;
import ai.molecule.cli.Screen;
import ai.molecule.cli.machine.Finding.Verdict;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Machines that lack something, made of files; and the one that the tests run on. */
class LookingAtAMachineTest {

    @TempDir
    Path root;

    private final Screen screen = new Screen();

    @Test
    void each_thing_that_is_looked_at_is_told_with_what_to_do_about_it() {
        var findings = new MachineChecks(Path.of("/"), Map.of(), root.resolve("data"), OptionalLong.empty(), 0).all();

        assertThat(findings)
                .extracting(Finding::name)
                .containsExactly(
                        "system",
                        "JDK",
                        "libc",
                        "libssl",
                        "user",
                        "namespaces",
                        "cgroups",
                        "port",
                        "files",
                        "memory",
                        "disk",
                        "clock",
                        "Docker");
        assertThat(findings).allSatisfy(each -> assertThat(each.says()).isNotBlank());
        assertThat(findings)
                .filteredOn(each -> each.verdict() != Verdict.OK)
                .allSatisfy(each -> assertThat(each.todo()).isNotBlank());
    }

    @Test
    void musl_is_refused_unless_servers_are_named() throws IOException {
        write("lib/ld-musl-x86_64.so.1", "");

        assertThat(machine(Map.of()).libc()).satisfies(each -> {
            assertThat(each.verdict()).isEqualTo(Verdict.BAD);
            assertThat(each.says()).contains("musl");
            assertThat(each.todo()).contains("DATABASE_URL");
        });
        assertThat(machine(Map.of("DATABASE_URL", "postgres://x", "REDIS_URL", "redis://x"))
                        .libc()
                        .verdict())
                .isEqualTo(Verdict.OK);
    }

    @Test
    void libssl_is_found_where_distributions_keep_it_and_missed_only_where_it_is_needed() throws IOException {
        assertThat(machine(Map.of()).libssl().verdict()).isEqualTo(Verdict.BAD);
        assertThat(machine(Map.of("MOLECULE_REDIS", "none")).libssl().verdict()).isEqualTo(Verdict.OK);

        write("usr/lib/x86_64-linux-gnu/libssl.so.3", "");

        assertThat(machine(Map.of()).libssl().verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void few_files_and_little_memory_are_told() throws IOException {
        write("proc/self/limits", "Limit   Soft  Hard  Units\nMax open files            256       512       files\n");
        write("proc/meminfo", "MemTotal: 900000 kB\nMemAvailable:   512000 kB\n");
        assertThat(machine(Map.of()).files().verdict()).isEqualTo(Verdict.BAD);
        assertThat(machine(Map.of()).memory().verdict()).isEqualTo(Verdict.NOTE);

        write("proc/self/limits", "Max open files            1024       unlimited       files\n");
        assertThat(machine(Map.of()).files().verdict()).isEqualTo(Verdict.OK);
    }

    @Test
    void an_engine_that_is_not_there_is_only_noted() {
        assertThat(machine(Map.of()).docker().verdict()).isEqualTo(Verdict.NOTE);
        assertThat(machine(Map.of("DOCKER_HOST", "tcp://engine:2376")).docker().says())
                .contains("tcp://engine:2376");
    }

    @Test
    void a_taken_port_keeps_a_platform_from_starting_and_decides_the_exit_code() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var checks = new MachineChecks(root, Map.of(), root, OptionalLong.empty(), taken.getLocalPort());

            assertThat(checks.portFinding().verdict()).isEqualTo(Verdict.BAD);
            assertThat(EveryCommand.of(screen.console(), root)
                            .execute("doctor", "--port", String.valueOf(taken.getLocalPort())))
                    .isEqualTo(2);
        }
        assertThat(screen.out()).contains("bad   port").contains("-> ");
        assertThat(screen.err()).contains("keep ./molecule up from working");
    }

    @Test
    void findings_are_json_for_programs_and_notes_keep_nobody_from_starting() {
        var report = new MachineReport(List.of(Finding.ok("a", "well"), Finding.note("b", "not so well", "do this")));

        assertThat(report.print(screen.console(), true)).isZero();

        assertThat(new JsonObject(screen.out())
                        .getJsonArray("findings")
                        .getJsonObject(1)
                        .encode())
                .isEqualTo("{\"name\":\"b\",\"verdict\":\"note\",\"says\":\"not so well\",\"todo\":\"do this\"}");
    }

    private MachineChecks machine(Map<String, String> environment) {
        return new MachineChecks(root, environment, root, OptionalLong.empty(), 0);
    }

    private void write(String file, String text) throws IOException {
        Path place = root.resolve(file);
        Files.createDirectories(place.getParent());
        Files.writeString(place, text);
    }
}
