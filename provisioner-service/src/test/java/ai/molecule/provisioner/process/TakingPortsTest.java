package ai.molecule.provisioner.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.common.net.AddressRules;
import ai.molecule.common.net.ListenerMain;
import ai.molecule.common.net.SafeDialer;
import ai.molecule.provisioner.backend.AgentProcess;
import ai.molecule.provisioner.backend.Launch;
import ai.molecule.provisioner.testing.Processes;
import ai.molecule.provisioner.testing.Provisioning;
import ai.molecule.provisioner.testing.ScriptedAgents;
import ai.molecule.provisioner.testing.WorkspaceBuilder;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.junit5.VertxExtension;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One agent listens where another is dialled, at each moment at which that other does not. Needs root, to give agents users. */
@ExtendWith(VertxExtension.class)
@EnabledIf("isRoot")
class TakingPortsTest {

    private static final int FIRST_UID = 300_000;

    private static final String SILENT = "echo started; while :; do sleep 0.1; done";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path data;

    private final UUID victim = UUID.randomUUID();
    private final UUID thief = UUID.randomUUID();

    /** What an agent goes through while another takes its port. */
    private enum Moment {
        /** Its program has not come so far as to listen. */
        STARTS,
        CRASHES,
        /** Also for a restart, a pause and hibernation. */
        IS_STOPPED,
        /** By itself, as whoever is given up after its last restart. */
        ENDS,
        IS_REMOVED
    }

    @BeforeEach
    void letEverybodyIn() throws IOException {
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
        for (Class<?> program : List.of(ListenerMain.class, Hoarder.class)) {
            String file = program.getName().replace('.', '/') + ".class";
            Path placed = data.resolve("classes").resolve(file);
            Files.createDirectories(placed.getParent());
            try (var read = Objects.requireNonNull(program.getResourceAsStream("/" + file))) {
                Files.write(placed, read.readAllBytes());
            }
        }
    }

    @AfterEach
    void endProcesses() {
        Processes.kill(victim);
        Processes.kill(thief);
    }

    @ParameterizedTest
    @EnumSource
    void an_agent_at_anothers_port_is_sent_nothing_and_its_owner_gets_another(Moment moment, Vertx vertx)
            throws Exception {
        var of = backend(vertx, moment == Moment.STARTS ? SILENT : listening("$MOLECULE_AGENT_PORT"));
        int port = of.choosePort(null, Set.of()).await();
        int thiefsPort = of.choosePort(null, Set.of(port)).await();
        String url = of.url(victim, port);
        var dialer =
                SafeDialer.ofAgents(vertx, AddressRules.forDialling(false, false), Duration.ofSeconds(10), FIRST_UID);
        var process = of.start(launch(victim, port)).await();
        if (moment != Moment.STARTS) {
            await().until(() -> of.logTail(victim).await().equals("listening"));
            assertThat(ask(dialer, url)).as("itself").isEqualTo("ok");
        }
        comesTo(moment, of, process);

        var by = backend(vertx, listening(String.valueOf(port)));
        by.start(launch(thief, thiefsPort)).await();
        await().until(() -> by.logTail(thief).await().equals("listening"));

        assertThatThrownBy(() -> ask(dialer, url))
                .isInstanceOf(ConnectException.class)
                .hasMessageContaining("another agent listens there");
        assertThat(by.logTail(thief).await()).isEqualTo("listening");
        assertThat(of.choosePort(port, Set.of(thiefsPort)).await()).isNotEqualTo(port);
        by.clear(thief).await();
        if (moment == Moment.IS_REMOVED) {
            assertThatThrownBy(() -> of.choosePort(null, allBut(port)).await())
                    .as("a gateway may still take it for the address of the one that was removed")
                    .hasMessage("no free port from 20000 to 31999");
        }
        dialer.close().await();
    }

    private static void comesTo(Moment moment, ProcessBackend of, AgentProcess process) {
        var id = LiveProcess.commandLine(Long.parseLong(process.id()))
                .flatMap(AgentMark::in)
                .orElseThrow()
                .workspaceId();
        switch (moment) {
            case STARTS -> {}
            case CRASHES -> ProcessHandle.of(Long.parseLong(process.id())).ifPresent(ProcessHandle::destroyForcibly);
            case ENDS -> ProcessHandle.of(Long.parseLong(process.id())).ifPresent(ProcessHandle::destroy);
            case IS_STOPPED -> of.stop(process).await();
            case IS_REMOVED -> {
                of.stop(process).await();
                of.delete(id).await();
            }
        }
        if (moment != Moment.STARTS) {
            of.exitOf(process).await();
        }
    }

    @Test
    void whoever_listens_at_the_ports_of_all_others_is_named(Vertx vertx) throws Exception {
        var by = backend(vertx, hoarding());
        int port = by.choosePort(null, Set.of()).await();
        by.start(launch(thief, port)).await();
        await().until(() -> by.logTail(thief).await().equals("listening"));

        assertThatThrownBy(() -> by.choosePort(null, allBut(-1)).await())
                .hasMessageMatching(
                        "no free port from 20000 to 31999; the agent at port %d \\(user %d\\) listens at \\d{3} of them: quarantine it"
                                .formatted(port, FIRST_UID + port));
    }

    @Test
    void the_port_of_an_agent_that_has_files_here_is_given_to_no_other(Vertx vertx) throws Exception {
        var of = backend(vertx, SILENT);
        int port = of.choosePort(null, Set.of()).await();
        var process = of.start(launch(victim, port)).await();
        of.stop(process).await();

        assertThatThrownBy(() -> of.choosePort(null, allBut(port)).await())
                .as("its user owns them")
                .hasMessage("no free port from 20000 to 31999");
        assertThat(of.choosePort(port, allBut(port)).await()).isEqualTo(port);
    }

    private static Set<Integer> allBut(int port) {
        return IntStream.rangeClosed(20_000, 31_999)
                .filter(each -> each != port)
                .boxed()
                .collect(Collectors.toSet());
    }

    /** Listens at many ports of agents, and stays. */
    static final class Hoarder {

        private static final int PORTS = 150;

        private Hoarder() {}

        public static void main(String[] arguments) throws IOException {
            List<ServerSocket> sockets = new ArrayList<>();
            for (int port = 31_999; sockets.size() < PORTS; port--) {
                try {
                    sockets.add(new ServerSocket(port, 1, InetAddress.getByName("127.0.0.1")));
                } catch (IOException taken) {
                    // another one then
                }
            }
            System.out.println("listening");
            System.in.transferTo(System.err);
        }
    }

    private static String ask(SafeDialer dialer, String url) {
        return dialer.open(HttpMethod.GET, url, true)
                .compose(HttpClientRequest::send)
                .compose(HttpClientResponse::body)
                .await()
                .toString();
    }

    /** Stays, since nothing ends what it reads. */
    private String listening(String port) {
        return staying(ListenerMain.class.getName() + " " + port);
    }

    private String hoarding() {
        return staying("'" + Hoarder.class.getName() + "'"); // whose dollar is the shell's, too
    }

    private String staying(String program) {
        return "mkfifo open; exec %s/bin/java -XX:TieredStopAtLevel=1 -cp %s %s \"$@\" 0<>open"
                .formatted(System.getProperty("java.home"), data.resolve("classes"), program);
    }

    private ProcessBackend backend(Vertx vertx, String script) {
        var plain = Provisioning.settings(data);
        var settings = new ProcessSettings(
                data,
                null,
                plain.platformUrl(),
                plain.agentHost(),
                null,
                plain.path(),
                plain.lang(),
                plain.heartbeat(),
                plain.stopGrace(),
                FIRST_UID,
                plain.tiers(),
                false);
        return new ProcessBackend(vertx, settings, ScriptedAgents.script(script));
    }

    private static Launch launch(UUID id, int port) {
        return new Launch(WorkspaceBuilder.workspace(id).incarnation(3).build(), port, "the-token", Map.of());
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }
}
