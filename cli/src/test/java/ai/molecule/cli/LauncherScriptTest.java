package ai.molecule.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ai.molecule.testkit.Documents;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./molecule} itself, in a small project of its own with a Maven and a JDK that only leave traces. */
class LauncherScriptTest {

    @TempDir
    Path temp;

    private Path project;
    private Path jdk;
    private Path tools;

    private record Result(int exitCode, String out, String err) {}

    @BeforeEach
    void makeProject() throws IOException {
        project = Files.createDirectories(temp.resolve("a project"));
        Files.copy(Path.of("..", "molecule"), project.resolve("molecule"));
        write(project.resolve("pom.xml"), "<jvm.options>-Dopened=yes</jvm.options>\n");
        write(project.resolve("common/src/main/java/A.java"), "class A {}\n");
        write(project.resolve("common/src/test/java/ATest.java"), "class ATest {}\n");

        jdk = temp.resolve("jdk");
        write(jdk.resolve("release"), "JAVA_VERSION=\"25.0.1\"\n");
        script(jdk.resolve("bin/java"), "printf '%s\\n' \"$@\"");
        script(jdk.resolve("bin/javac"), "true");

        tools = temp.resolve("tools");
        script(tools.resolve("mvn"), """
                echo built >>"%s/builds"
                mkdir -p cli/target/quick/lib workspace-runtime/target/quick
                echo jar >cli/target/quick/lib/a.jar
                echo jar >cli/target/quick/cli-1.jar
                echo jar >workspace-runtime/target/quick/workspace-runtime-1-all.jar
                """.formatted(temp));
        script(tools.resolve("sleep"), "true"); // what it waits for here is there at once
    }

    @Test
    void the_first_run_builds_and_hands_everything_to_java() throws Exception {
        var result = run("up", "--port", "a b");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out().lines())
                .contains("-Dopened=yes")
                .contains("-Dmolecule.home=" + project.toRealPath())
                .endsWith("ai.molecule.cli.MoleculeCommand", "up", "--port", "a b");
        assertThat(result.err()).contains("building Molecule");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void the_users_options_of_the_jvm_count_before_ours_and_what_is_none_is_refused() throws Exception {
        assertThat(run(Map.of("MOLECULE_JAVA_OPTS", " -Xmx2g  -XX:+AlwaysPreTouch"), "up")
                        .out()
                        .lines())
                .containsSubsequence("-Xmx512m", "-Xmx2g", "-XX:+AlwaysPreTouch", "ai.molecule.cli.MoleculeCommand");

        var refused = run(Map.of("MOLECULE_JAVA_OPTS", "-Xmx2g 512m"), "up");
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("512m").contains("no option of a JVM");
    }

    /** What is ended by a clock leaves, on a slow machine, a cache of half a start. */
    @Test
    void a_rehearsed_agent_lives_until_it_has_seen_that_nobody_answers() throws Exception {
        var lived = temp.resolve("lived");
        script(jdk.resolve("bin/java"), """
                case "$*" in *workspace-runtime.aot*) ;; *) exit 0 ;; esac
                timeout 0.5 cat
                [ $? = 124 ] || exit 1
                echo 'platform call failed'
                cat
                touch '%s'
                """.formatted(lived));

        run("up");

        assertThat(lived).exists();
    }

    @Test
    void a_built_project_is_not_built_again() throws Exception {
        run("up");

        assertThat(run("up").err()).isEmpty();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void a_changed_a_new_and_a_renamed_source_are_noticed_by_up() throws Exception {
        run("up");

        write(project.resolve("common/src/main/java/A.java"), "class A { }\n");
        run("up");
        assertThat(builds()).isEqualTo(2);

        write(project.resolve("common/src/main/resources/b.sql"), "SELECT 1");
        run("up");
        assertThat(builds()).isEqualTo(3);

        Files.move(
                project.resolve("common/src/main/resources/b.sql"), project.resolve("common/src/main/resources/c.sql"));
        run("up");
        assertThat(builds()).isEqualTo(4);
    }

    @Test
    void neither_a_changed_test_nor_looking_at_the_platform_is_a_reason_to_build() throws Exception {
        run("up");

        write(project.resolve("common/src/test/java/ATest.java"), "class ATest { }\n");
        run("up");
        write(project.resolve("common/src/main/java/A.java"), "class A { }\n");
        run("ps");

        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void a_command_or_an_option_that_came_after_the_build_is_a_reason_to_build_and_what_was_there_before_is_none()
            throws Exception {
        var help = project.resolve("docs/man/help.txt");
        write(
                help,
                "== \nUsage: molecule\n== say\nUsage: molecule say\n  --json\n== rule list\nUsage: molecule rule list\n");
        run("up");

        write(project.resolve("common/src/main/java/A.java"), "class A { }\n");
        write(
                help,
                Files.readString(help)
                                .replace("--json", "--json\n  --wait=SECONDS")
                                .replace("say\n", "say\nIt waits.\n")
                        + "== rule add\nUsage: molecule rule add\n== target\nUsage: molecule target\n");
        for (String old :
                List.of("say Lead --json", "rule list", "ps", "xyzzy", "say Lead -- --wait", "say Lead --xyzzy")) {
            assertThat(run(old.split(" ")).err()).as(old).isEmpty();
        }
        assertThat(builds()).isEqualTo(1);

        for (String fresh : List.of("say Lead --wait=1", "rule add Tone", "target")) {
            String known = Files.readString(help);
            var result = run(fresh.split(" "));
            assertThat(result.err()).as(fresh).startsWith("what you ask for came after this was built\n");
            assertThat(result.out().lines()).endsWith(fresh.split(" "));
            write(
                    current().resolve("help.txt"),
                    "== \nUsage: molecule\n== say\nUsage: molecule say\n== rule list\nUsage: molecule rule list\n");
            write(project.resolve("common/src/main/java/A.java"), "class A { int a = " + fresh.length() + "; }\n");
            write(help, known);
        }
        assertThat(builds()).isEqualTo(4);
    }

    @Test
    void what_is_explained_anew_without_another_source_is_not_built_again() throws Exception {
        var help = project.resolve("docs/man/help.txt");
        write(help, "== \nUsage: molecule\n");
        run("up");
        write(help, "== \nUsage: molecule\n== target\nUsage: molecule target\n");

        assertThat(run("target").err()).isEmpty();
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void the_command_has_the_version_of_the_project() throws IOException {
        assertThat(Files.readString(Path.of("..", "pom.xml")))
                .contains("<version>" + MoleculeCommand.VERSION + "</version>");
    }

    /** As release/assemble lays it out: the launcher two folders deep, Java beside it. */
    @Test
    void a_release_needs_neither_a_jdk_nor_a_build_and_archives_its_classes_for_whoever_runs_it() throws Exception {
        var release = Files.createDirectories(temp.resolve("a release"));
        Files.createDirectories(release.resolve("bin"));
        Files.move(project.resolve("molecule"), release.resolve("bin/molecule"));
        write(release.resolve("share/molecule/version"), "1.2.3\n");
        write(release.resolve("share/molecule/help.txt"), "== \nUsage: molecule of a release\n");
        write(release.resolve("app/jvm.options"), "-Dopened=yes\n");
        write(release.resolve("app/workspace-runtime.jar"), "jar");
        write(release.resolve("app/lib/a.jar"), "jar");
        Files.move(jdk, release.resolve("runtime"));
        script(release.resolve("runtime/bin/java"), """
                case "$*" in
                  *AOTCacheOutput=*workspace-runtime.aot*) echo 'platform call failed'; cat ;;
                  *AOTCacheOutput=*) printf '%s\\n' "$@" | sed -n 's/-XX:AOTCacheOutput=//p' | xargs -d '\\n' touch ;;
                  *) printf '%s\\n' "$@" ;;
                esac
                """);
        var launcher = Files.createSymbolicLink(temp.resolve("mol"), release.resolve("bin/molecule"));

        assertThat(run(launcher, Map.of(), "--help").out()).contains("of a release");
        var first = run(launcher, Map.of(), "up", "--port", "a b");

        assertThat(first.out().lines())
                .contains("-Dmolecule.home=" + release.toRealPath())
                .contains("-Dmolecule.data=" + temp.resolve(".local/share/molecule"), "-Dmolecule.called=" + launcher)
                .contains("-Dmolecule.runtime=" + release.toRealPath().resolve("app/workspace-runtime.jar"))
                .endsWith("ai.molecule.cli.MoleculeCommand", "up", "--port", "a b");
        var cache = temp.resolve(".cache/molecule");
        await().until(() -> Files.isDirectory(cache));
        await().until(() -> {
            try (var archives = Files.newDirectoryStream(cache, "1.2.3-*")) {
                var one = archives.iterator();
                return one.hasNext() && Files.exists(one.next().resolve("complete"));
            }
        });
        assertThat(run(launcher, Map.of(), "ps").out().lines())
                .anyMatch(option -> option.startsWith("-XX:AOTCache=" + cache.resolve("1.2.3-")));
        assertThat(temp.resolve("builds")).doesNotExist();
    }

    @Test
    void a_shell_of_windows_is_told_where_it_runs_and_nothing_is_built() throws Exception {
        var result = run(project.resolve("molecule"), Map.of("OSTYPE", "msys"), "up");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("run it in WSL 2").hasLineCount(1);
        assertThat(temp.resolve("builds")).doesNotExist();
    }

    @Test
    void help_is_answered_without_a_build_and_without_a_jdk() throws Exception {
        Files.createDirectories(project.resolve("docs/man"));
        Files.copy(Documents.MAN.resolve("help.txt"), project.resolve("docs/man/help.txt"));
        write(jdk.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");

        assertThat(run("--help").out()).startsWith("Usage: molecule ").contains("  up ", "  say ");
        assertThat(run("say", "Lead", "-h").out()).startsWith("Usage: molecule say ");
        assertThat(run("secrets", "rotate", "--json", "--help").out()).startsWith("Usage: molecule secret rotate ");
        assertThat(run("up", "--port", "1", "--help").out()).startsWith("Usage: molecule up ");
        var unknown = run("xyzzy", "--help");
        assertThat(unknown.exitCode()).isEqualTo(2);
        assertThat(unknown.err()).isEqualTo("There is no command xyzzy; ./molecule --help lists them.\n");
        assertThat(temp.resolve("builds")).doesNotExist();
    }

    @Test
    void what_maven_has_just_made_is_taken_on_request_and_by_nobody_else() throws Exception {
        made(".", "made");

        var result = run(Map.of("MOLECULE_BUILD", "."), "up");

        assertThat(result.exitCode()).isZero();
        assertThat(temp.resolve("builds")).doesNotExist();
        String runtime = result.out()
                .lines()
                .filter(line -> line.startsWith("-Dmolecule.runtime="))
                .findFirst()
                .orElseThrow()
                .substring("-Dmolecule.runtime=".length());
        assertThat(Path.of(runtime)).hasContent("made\n");
        run("up");
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void a_build_is_kept_while_it_is_run_and_goes_when_others_came_and_nobody_runs_it() throws Exception {
        run("up");
        var first = current();
        script(jdk.resolve("bin/java"), "exec cat"); // until its standard input ends
        var running = builder(Map.of(), "up").start();
        try {
            await().until(() -> List.of(Objects.requireNonNull(
                            first.resolve("running").toFile().list()))
                    .contains(String.valueOf(running.pid())));
            await().until(() -> running.descendants()
                    .anyMatch(one ->
                            one.info().command().orElse("").endsWith("/cat"))); // past the script that is changed now
            script(jdk.resolve("bin/java"), "true");

            buildAnew(3);

            assertThat(first).isDirectoryContaining("glob:**/lib");
        } finally {
            running.destroyForcibly().waitFor();
        }
        buildAnew(1);
        assertThat(first).doesNotExist();
    }

    @Test
    void the_lock_of_a_build_that_ended_is_taken_over_also_when_its_number_is_another_process_now() throws Exception {
        var folder = Files.createDirectories(project.resolve("cli/target/molecule"));
        for (String gone : List.of("999999999 1", ProcessHandle.current().pid() + " 1", "of no process")) {
            Files.createSymbolicLink(folder.resolve("lock"), Path.of(gone));

            buildAnew(1);

            assertThat(Files.list(folder).map(file -> file.getFileName().toString()))
                    .doesNotContain("lock", "taking-over");
        }
        assertThat(builds()).isEqualTo(3);
    }

    @Test
    void who_waits_for_another_build_says_so_and_not_for_ever() throws Exception {
        var hold = Files.createFile(temp.resolve("hold"));
        script(tools.resolve("mvn"), "while [ -e '%s' ]; do /bin/sleep 0.1; done; exit 1".formatted(hold));
        var other = builder(Map.of(), "up").start();
        try {
            var lock = project.resolve("cli/target/molecule/lock");
            await().until(() -> Files.isSymbolicLink(lock));
            var script = project.resolve("molecule");
            Files.writeString(script, Files.readString(script).replace("patience=1800", "patience=3"));

            var result = run("up");

            assertThat(result.exitCode()).isEqualTo(1);
            assertThat(result.err().lines())
                    .containsExactly(
                            "waiting for process " + other.pid() + ", which builds Molecule",
                            "Process " + other.pid()
                                    + " has been building Molecule for a quarter of an hour; end it, then start again.");
            assertThat(lock).isSymbolicLink();
        } finally {
            Files.delete(hold);
            assertThat(other.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** A JVM that says where its lifeline is, as ours does; of the second on, it stays until its standard input ends. */
    private Path platformJvm(String end) throws IOException {
        var lifeline = temp.resolve("a lifeline");
        script(jdk.resolve("bin/java"), """
                case "$*" in *AOTCacheOutput*) exit 0 ;; esac
                printf '%%s\\n' "$@" >>'%1$s/starts'
                for option in "$@"; do
                  case $option in -Dmolecule.told=*) told=${option#*=} ;; esac
                done
                if [ -z "$told" ]; then
                  echo again
                  exec cat
                fi
                mkfifo '%2$s'
                exec 4<>'%2$s'
                echo '8080 0 %2$s' >"$told"
                %3$s
                """.formatted(temp, lifeline, end));
        return lifeline;
    }

    @Test
    void a_platform_that_is_killed_is_started_again_while_what_lives_by_its_lifeline_goes_on() throws Exception {
        var lifeline = platformJvm("echo ready >\"$told\"; sh -c 'read -r _' <'%s' 4>&- & echo $! >'%s'; kill -9 $$"
                .formatted(temp.resolve("a lifeline"), temp.resolve("agent")));
        var launcher = builder(Map.of(), "up").start();
        try {
            await().until(() -> Files.readString(temp.resolve("out")).contains("again"));

            var agent = ProcessHandle.of(Long.parseLong(
                            Files.readString(temp.resolve("agent")).strip()))
                    .orElseThrow();
            assertThat(agent.isAlive()).isTrue();
            assertThat(Files.readString(temp.resolve("starts")))
                    .contains(
                            "-XX:+ExitOnOutOfMemoryError\n",
                            "-Dmolecule.launcher=" + launcher.pid(),
                            "-Dmolecule.again=8080 0 " + lifeline);
            assertThat(Files.readString(temp.resolve("err"))).contains("The platform was killed. It is started again");

            launcher.destroyForcibly();

            agent.onExit().get(1, TimeUnit.MINUTES);
        } finally {
            launcher.destroyForcibly();
        }
    }

    @Test
    void a_platform_that_was_told_to_end_and_one_that_never_was_ready_are_not_started_again() throws Exception {
        for (var end : Map.of("kill -9 $$", 137, "exit 2", 2, "echo ready >\"$told\"; exit 143", 143)
                .entrySet()) {
            var lifeline = platformJvm(end.getKey());

            assertThat(run("up").exitCode()).as(end.getKey()).isEqualTo(end.getValue());
            assertThat(Files.readString(temp.resolve("out"))).doesNotContain("again");
            Files.delete(lifeline);
        }
    }

    @Test
    void a_signal_to_the_launcher_ends_the_platform_and_both_end() throws Exception {
        platformJvm("echo ready >\"$told\"; echo up; exec cat");
        var launcher = builder(Map.of(), "up").start();
        await().until(() -> Files.readString(temp.resolve("out")).contains("up"));
        var platform = launcher.children().findFirst().orElseThrow();

        launcher.destroy();

        assertThat(launcher.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(launcher.exitValue()).isEqualTo(143);
        platform.onExit().get(1, TimeUnit.MINUTES);
    }

    @Test
    void java_is_given_utf_8_where_the_locale_is_another_and_the_home_of_the_environment() throws Exception {
        script(jdk.resolve("bin/java"), "printf '%s\\n' \"LC_ALL=$LC_ALL LANG=$LANG\" \"$@\"");
        var utf8 = Map.of("LC_ALL", "C.UTF-8", "LANG", "of the user");
        run("up");

        for (var none :
                List.of(Map.of("LC_ALL", "C"), Map.of("LC_ALL", "", "LANG", ""), Map.of("LC_ALL", "xx_XX.UTF-8"))) {
            for (String verb : List.of("ps", "up")) {
                assertThat(run(none, verb).out()).as("%s", none).startsWith("LC_ALL=C.UTF-8 LANG=C.UTF-8\n");
            }
        }
        assertThat(run(utf8, "ps").out())
                .startsWith("LC_ALL=C.UTF-8 LANG=of the user\n")
                .contains("-Duser.home=" + temp + "\n");
    }

    @Test
    void where_no_home_is_set_a_jdk_is_found_all_the_same() throws Exception {
        run("up");
        var builder = builder(Map.of("JAVA_HOME", jdk.toString()), "ps");
        builder.environment().keySet().removeAll(List.of("HOME", "MOLECULE_JAVA_HOME"));
        var process = builder.start();

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(temp.resolve("err"))).isEmpty();
        assertThat(Files.readString(temp.resolve("out"))).contains("-Duser.home=" + System.getProperty("user.home"));
    }

    @Test
    void a_cache_of_classes_is_used_where_it_was_made_and_made_again_by_up_elsewhere() throws Exception {
        script(jdk.resolve("bin/java"), """
                for option in "$@"; do
                  case $option in
                    -XX:AOTCacheOutput=*workspace-runtime.aot) echo 'platform call failed'; cat ;;
                    -XX:AOTCacheOutput=*) touch "${option#*=}" ;;
                  esac
                done
                printf '%s\\n' "$@"
                """);
        run("up");
        assertThat(run("ps").out()).contains("-XX:AOTCache=" + current());
        var copy = temp.resolve("a copy");
        assertThat(new ProcessBuilder("cp", "-r", project.toString(), copy.toString())
                        .start()
                        .waitFor())
                .isZero();

        assertThat(run(copy.resolve("molecule"), Map.of(), "ps").out()).doesNotContain("-XX:AOTCache=");
        assertThat(run(copy.resolve("molecule"), Map.of(), "up").err()).contains("rehearsing a start");
        assertThat(run(copy.resolve("molecule"), Map.of(), "ps").out())
                .contains("-XX:AOTCache=" + copy.toRealPath().resolve("cli/target/molecule"));
        assertThat(builds()).isEqualTo(1);
    }

    @Test
    void without_a_jdk_25_one_sentence_says_so() throws Exception {
        write(jdk.resolve("release"), "JAVA_VERSION=\"17.0.15\"\n");
        // The machine's own JDKs must not help out.
        String script = Files.readString(project.resolve("molecule"))
                .replace("/usr/lib/jvm/*", "/nowhere/*")
                .replace("/usr/libexec/java_home", "/nowhere/java_home");
        Files.writeString(project.resolve("molecule"), script);

        var result = run("up");

        assertThat(result.exitCode()).isEqualTo(2);
        assertThat(result.err()).contains("JDK 25", "MOLECULE_JAVA_HOME").hasLineCount(1);
        assertThat(result.out()).isEmpty();
    }

    @Test
    void a_failed_build_shows_its_errors_and_starts_nothing() throws Exception {
        script(tools.resolve("mvn"), "echo '[ERROR] A.java:[1,1] not a statement'; exit 1");

        var result = run("up");

        assertThat(result.exitCode()).isEqualTo(1);
        assertThat(result.err()).contains("not a statement", "build.log");
        assertThat(result.out()).isEmpty();
    }

    private void made(String folder, String runtime) throws IOException {
        write(project.resolve("cli/target").resolve(folder).resolve("lib/a.jar"), "jar\n");
        write(project.resolve("cli/target").resolve(folder).resolve("cli-1.jar"), "jar\n");
        write(
                project.resolve("workspace-runtime/target").resolve(folder).resolve("workspace-runtime-1-all.jar"),
                runtime + "\n");
    }

    private void buildAnew(int times) throws Exception {
        for (int i = 0; i < times; i++) {
            write(
                    project.resolve("common/src/main/java/A.java"),
                    "class A { int a = %d; }".formatted(System.nanoTime()));
            assertThat(run("up").exitCode()).isZero();
        }
    }

    private Path current() throws IOException {
        var builds = project.resolve("cli/target/molecule");
        return builds.resolve(Files.readString(builds.resolve("current")).strip());
    }

    private Result run(String... arguments) throws Exception {
        return run(Map.of(), arguments);
    }

    private Result run(Map<String, String> environment, String... arguments) throws Exception {
        return run(project.resolve("molecule"), environment, arguments);
    }

    private Result run(Path launcher, Map<String, String> environment, String... arguments) throws Exception {
        var process = builder(launcher, environment, arguments).start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Result(
                process.exitValue(), Files.readString(temp.resolve("out")), Files.readString(temp.resolve("err")));
    }

    private ProcessBuilder builder(Map<String, String> environment, String... arguments) {
        return builder(project.resolve("molecule"), environment, arguments);
    }

    private ProcessBuilder builder(Path launcher, Map<String, String> environment, String... arguments) {
        var command = new ArrayList<String>();
        command.add(launcher.toString());
        command.addAll(List.of(arguments));
        var builder = new ProcessBuilder(command)
                .redirectOutput(temp.resolve("out").toFile())
                .redirectError(temp.resolve("err").toFile());
        builder.environment().put("MOLECULE_JAVA_HOME", jdk.toString());
        builder.environment().put("PATH", tools + ":/usr/bin:/bin");
        builder.environment().put("HOME", temp.toString());
        builder.environment().remove("JAVA_HOME");
        List.of("MOLECULE_BUILD", "XDG_CACHE_HOME", "XDG_DATA_HOME").forEach(builder.environment()::remove);
        builder.environment().putAll(environment);
        return builder;
    }

    private long builds() throws IOException {
        try (var lines = Files.lines(temp.resolve("builds"))) {
            return lines.count();
        }
    }

    private static void script(Path file, String body) throws IOException {
        write(file, "#!/bin/sh\n" + body + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, text, StandardCharsets.UTF_8);
    }
}
