package ai.molecule.cli.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ai.molecule.cli.LaunchFailure;
import ai.molecule.cli.MoleculeHome;
import ai.molecule.cli.Screen;
import ai.molecule.cli.http.PlatformOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;

/** Platforms elsewhere by name: which one a command speaks to, and with whose token. */
class NamingPlatformsTest {

    @TempDir
    Path temp;

    private final Screen screen = new Screen();
    private final Map<String, String> environment = new HashMap<>();

    /** Asks nobody, but says whom it would have asked. */
    @CommandLine.Command
    private static final class Asked {

        @Mixin
        private PlatformOptions platform = new PlatformOptions();
    }

    @BeforeEach
    void keepProfilesHere() {
        environment.put("MOLECULE_CONFIG", temp.resolve("kept/profiles").toString());
    }

    @Test
    void a_profile_is_kept_for_its_owner_alone_and_listed_without_its_token() throws IOException {
        assertThat(run("hush\n", "set", "work", "--url", "https://molecule.example.org/", "--with-token"))
                .isZero();
        assertThat(run("", "use", "work")).isZero();
        assertThat(run("", "list")).isZero();
        assertThat(run("", "list", "--json")).isZero();

        assertThat(Files.getPosixFilePermissions(temp.resolve("kept/profiles")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        assertThat(screen.out())
                .contains("*  work     https://molecule.example.org  in the profile", "\"has_token\":true")
                .doesNotContain("hush");
        assertThat(asked()).isEqualTo("https://molecule.example.org hush");
    }

    @Test
    void what_is_said_counts_more_than_the_environment_and_that_more_than_the_profile_in_use() {
        run("", "set", "work", "--url", "https://work.example.org");
        run("", "set", "home", "--url", "https://home.example.org", "--organisation", "o");
        run("", "use", "work");

        assertThat(asked()).startsWith("https://work.example.org");
        environment.put("MOLECULE_PROFILE", "home");
        assertThat(asked()).startsWith("https://home.example.org");
        assertThat(asked("--profile", "work")).startsWith("https://work.example.org");
        assertThat(asked("--url", "https://other.example.org", "--token", "t"))
                .isEqualTo("https://other.example.org t");
        assertThatThrownBy(() -> asked("--profile", "wrok"))
                .isInstanceOf(LaunchFailure.class)
                .hasMessageContaining("There is no profile wrok")
                .hasMessageContaining("home, work");
        assertThatThrownBy(() -> asked("--profile", "work", "--url", "https://x.example.org"))
                .hasMessageContaining("say one of them");
        for (String[] local : new String[][] {{"--profile", "local"}, {"--data", temp.toString()}}) {
            assertThatThrownBy(() -> asked(local)).hasMessageContaining("Molecule is not running in");
        }
    }

    @Test
    void the_data_folders_own_token_goes_to_no_other_machine() throws IOException {
        Files.createDirectories(temp.resolve(".molecule/secrets"));
        Files.writeString(temp.resolve(".molecule/secrets/admin-token"), "of-the-folder\n");

        assertThat(asked("--url", "https://elsewhere.example.org")).isEqualTo("https://elsewhere.example.org -");
        assertThat(asked("--url", "http://127.0.0.1:8080/")).isEqualTo("http://127.0.0.1:8080 of-the-folder");
        assertThat(asked(
                        "--url",
                        "https://elsewhere.example.org",
                        "--data",
                        temp.resolve(".molecule").toString()))
                .isEqualTo("https://elsewhere.example.org of-the-folder");
        environment.put("ADMIN_TOKEN", "of-the-environment");
        assertThat(asked("--url", "https://elsewhere.example.org"))
                .isEqualTo("https://elsewhere.example.org of-the-environment");
    }

    @Test
    void a_file_that_others_may_read_or_nobody_can_understand_is_refused() throws IOException {
        var file = Files.createDirectories(temp.resolve("kept")).resolve("profiles");
        Files.writeString(file, "work.url = https://work.example.org\nwork.tokne = x\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(run("", "list")).isEqualTo(2);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertThat(run("", "list")).isEqualTo(2);
        Files.writeString(file, "work.token = x\n");
        assertThat(run("", "list")).isEqualTo(2);
        assertThat(run("", "set", "local", "--url", "https://x.example.org")).isEqualTo(2);
        assertThat(run("", "set", "x", "--url", "x.example.org")).isEqualTo(2);

        assertThat(screen.err())
                .contains(
                        "chmod 600",
                        "work.tokne",
                        "does not say work.url",
                        "local can be no profile's name",
                        "x.example.org is no address");
        assertThat(screen.out()).isEmpty();
    }

    private String asked(String... options) {
        var asked = new Asked();
        new CommandLine(asked).parseArgs(options);
        return asked.platform.ask(
                new MoleculeHome(temp, temp.resolve("runtime.jar")),
                environment,
                api -> api.url() + " " + api.bearer().orElse("-"));
    }

    private int run(String typed, String... words) {
        var all = new ArrayList<>(List.of(words));
        return new CommandLine(new ProfileCommand(
                        screen.console(),
                        environment,
                        new ByteArrayInputStream(typed.getBytes(StandardCharsets.UTF_8))))
                .setExecutionExceptionHandler((failure, failed, parsed) -> {
                    if (failure instanceof LaunchFailure known) {
                        screen.console().say(known.sentence());
                        return known.exitCode();
                    }
                    throw failure;
                })
                .execute(all.toArray(String[]::new));
    }
}
