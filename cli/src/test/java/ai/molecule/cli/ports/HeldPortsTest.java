package ai.molecule.cli.ports;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.PidFile;
import ai.molecule.cli.process.Commands;
import ai.molecule.cli.process.Lifeline;
import ai.molecule.common.net.Ports;
import ai.molecule.common.net.SharedPorts;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import java.io.File;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Ports stay the platform's while nobody listens at them. */
@EnabledOnOs(OS.LINUX)
class HeldPortsTest {

    private static final String OTHER_USER = "300123";

    @TempDir
    Path temp;

    private DataFolder data;
    private Lifeline lifeline;
    private InetSocketAddress address;

    @BeforeEach
    void chooseAPort() throws IOException {
        data = DataFolder.open(temp.resolve("data"));
        lifeline = Lifeline.open(data.lifeline(), false);
        address = new InetSocketAddress(InetAddress.getLoopbackAddress(), Ports.free());
    }

    @AfterEach
    void letGo() throws IOException {
        lifeline.close();
    }

    @Test
    void a_held_port_refuses_callers_and_whoever_does_not_ask_to_share_it() throws IOException {
        try (var _ = HeldPort.take(address)) {
            assertThatThrownBy(this::call).isInstanceOf(ConnectException.class);
            assertThatThrownBy(this::listen).isInstanceOf(BindException.class);
            assertThatThrownBy(() -> HeldPort.take(address)).isInstanceOf(BindException.class);
            HeldPort.join(address).close();
        }
        listen().close();
    }

    @Test
    void the_process_beside_keeps_a_port_for_the_next_jvm_until_the_lifeline_ends() throws Exception {
        var first = HeldPorts.take(data, List.of(address));
        first.keep(lifeline);
        first.leaveToTheProcessBeside();
        assertThatThrownBy(this::listen).isInstanceOf(BindException.class);
        assertThatThrownBy(this::call).isInstanceOf(ConnectException.class);
        long keeper = keeper().pid();

        var again = HeldPorts.take(data, List.of(address));
        again.keep(lifeline);
        assertThat(keeper().pid()).isEqualTo(keeper);
        var vertx = SharedPorts.over(Vertx.builder(), Map.of(SharedPorts.VARIABLE, "1," + address.getPort()))
                .build();
        try {
            vertx.createHttpServer(new HttpServerOptions().setHost("127.0.0.1").setPort(address.getPort()))
                    .requestHandler(request -> request.response().end("the platform"))
                    .listen()
                    .await();
            for (int i = 0; i < 20; i++) {
                assertThat(asked()).isEqualTo("the platform");
            }
        } finally {
            vertx.close().await();
        }
        again.leaveToTheProcessBeside();
        var process = keeper();
        lifeline.close();

        process.onExit().join();
        listen().close();
    }

    @Test
    void the_process_beside_is_started_again_and_ends_with_its_ports() throws Exception {
        var held = HeldPorts.take(data, List.of(address));
        held.keep(lifeline);
        var killed = keeper();

        killed.destroyForcibly();

        await().until(() -> new PidFile(data.root().resolve("ports.pid"))
                .living()
                .filter(other -> other.pid() != killed.pid())
                .isPresent());
        var another = keeper();
        held.close();
        assertThat(another.isAlive()).isFalse();
        listen().close();
    }

    @Test
    void a_port_that_somebody_has_is_not_taken() throws IOException {
        try (var _ = listen()) {
            assertThatThrownBy(() -> HeldPorts.take(data, List.of(address))).isInstanceOf(BindException.class);
        }
    }

    @Test
    @EnabledIf("canBeAnotherUser")
    void another_user_listens_there_no_more_than_before_while_nobody_does() throws Exception {
        Path classes = classesForEverybody();
        var held = HeldPorts.take(data, List.of(address));
        held.keep(lifeline);
        held.leaveToTheProcessBeside();

        assertThat(listeningAs(classes)).contains("BindException");

        held.close();
        assertThat(listeningAs(classes)).isEqualTo("listening");
    }

    /** Listens at the port it is given, says so, and ends. */
    static final class Thief {

        private Thief() {}

        public static void main(String[] arguments) throws IOException {
            try (var _ = new ServerSocket(Integer.parseInt(arguments[0]), 50, InetAddress.getByName("127.0.0.1"))) {
                System.out.println("listening");
            }
        }
    }

    static boolean canBeAnotherUser() {
        return "root".equals(System.getProperty("user.name"))
                && Commands.onPath("setpriv").isPresent();
    }

    /** What another user who wants to listen there prints first. */
    private String listeningAs(Path classes) throws IOException, InterruptedException {
        var process = new ProcessBuilder(
                        "setpriv",
                        "--reuid=" + OTHER_USER,
                        "--regid=" + OTHER_USER,
                        "--clear-groups",
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xmx16m",
                        "-cp",
                        classes.toString(),
                        Thief.class.getName(),
                        String.valueOf(address.getPort()))
                .directory(new File("/"))
                .redirectErrorStream(true)
                .start();
        try (var out = process.inputReader(StandardCharsets.UTF_8)) {
            return String.valueOf(out.readLine());
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private Path classesForEverybody() throws IOException {
        String file = Thief.class.getName().replace('.', '/') + ".class";
        Files.setPosixFilePermissions(temp, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path classes = temp.resolve("classes");
        Path placed = classes.resolve(file);
        Files.createDirectories(placed.getParent());
        try (var read = Objects.requireNonNull(Thief.class.getResourceAsStream("/" + file))) {
            Files.write(placed, read.readAllBytes());
        }
        return classes;
    }

    private ProcessHandle keeper() {
        return new PidFile(data.root().resolve("ports.pid")).living().orElseThrow();
    }

    private ServerSocket listen() throws IOException {
        var socket = new ServerSocket();
        try {
            socket.setReuseAddress(true);
            socket.bind(address);
            return socket;
        } catch (IOException e) {
            socket.close();
            throw e;
        }
    }

    private void call() throws IOException {
        try (var socket = new Socket()) {
            socket.connect(address);
        }
    }

    private String asked() throws IOException {
        var url = URI.create("http://127.0.0.1:" + address.getPort() + "/").toURL();
        try (var in = url.openStream()) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
