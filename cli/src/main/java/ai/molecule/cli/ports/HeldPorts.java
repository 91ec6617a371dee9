package ai.molecule.cli.ports;

import ai.molecule.cli.data.DataFolder;
import ai.molecule.cli.data.PidFile;
import ai.molecule.cli.process.Commands;
import ai.molecule.cli.process.Lifeline;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ports at which people and agents find the platform, held by this JVM and by a process beside it. That one lives by the lifeline: it outlives
 * this JVM, and ends with the launcher's script. Started again should it end.
 */
public final class HeldPorts implements AutoCloseable {

    private static final Logger LOGGER = LoggerFactory.getLogger(HeldPorts.class);

    /** A small JVM, on a machine that may be busy. */
    private static final Duration START_TIMEOUT = Duration.ofSeconds(60);

    private static final int PAUSE_SECONDS = 1;

    private final DataFolder data;
    private final List<InetSocketAddress> addresses;
    private final List<HeldPort> own = new ArrayList<>();
    private volatile boolean closed;

    private HeldPorts(DataFolder data, List<InetSocketAddress> addresses) {
        this.data = data;
        this.addresses = List.copyOf(addresses);
    }

    /**
     * Takes them for this JVM: from nobody, or beside the process that an earlier JVM of the same launcher left.
     *
     * @throws IOException when somebody else has one of them
     */
    public static HeldPorts take(DataFolder data, List<InetSocketAddress> addresses) throws IOException {
        boolean left = pidFile(data).living().isPresent();
        var held = new HeldPorts(data, addresses);
        try {
            for (var address : addresses) {
                held.own.add(left ? HeldPort.join(address) : HeldPort.take(address));
            }
            return held;
        } catch (IOException e) {
            held.leaveToTheProcessBeside(); // the next try wants it
            throw e;
        }
    }

    /** Returns when the process beside is there; one that an earlier JVM left stays. */
    public void keep(Lifeline lifeline) throws IOException {
        var left = pidFile(data).living();
        watch(left.isPresent() ? left.get() : launch(lifeline), lifeline);
    }

    private void watch(ProcessHandle keeper, Lifeline lifeline) {
        keeper.onExit().thenRun(() -> {
            if (!closed) {
                LOGGER.atWarn().addKeyValue("pid", keeper.pid()).log("what holds the platform's ports ended");
                later(lifeline);
            }
        });
    }

    private void later(Lifeline lifeline) {
        CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS).execute(() -> again(lifeline));
    }

    private void again(Lifeline lifeline) {
        if (closed) {
            return;
        }
        try {
            var keeper = launch(lifeline);
            watch(keeper, lifeline);
            if (closed) { // meanwhile: nobody else knows of it
                keeper.destroyForcibly();
            }
        } catch (IOException e) {
            if (!closed) { // this JVM holds them still
                LOGGER.atError().setCause(e).log("what holds the platform's ports could not be started again");
                later(lifeline);
            }
        }
    }

    private ProcessHandle launch(Lifeline lifeline) throws IOException {
        var command = new ArrayList<>(Commands.ownSession());
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx16m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                PortKeeperMain.class.getName()));
        for (var address : addresses) {
            command.addAll(List.of(address.getHostString(), String.valueOf(address.getPort())));
        }
        var builder = new ProcessBuilder(command)
                .directory(data.root().toFile())
                .redirectInput(lifeline.asInput())
                .redirectError(
                        ProcessBuilder.Redirect.appendTo(data.log("ports").toFile()));
        builder.environment().clear(); // it needs none of the secrets
        var process = builder.start();
        pidFile(data).write(process.pid());
        if (!PortKeeperMain.HELD.equals(firstLine(process))) {
            process.destroyForcibly();
            pidFile(data).delete();
            throw new IOException("the platform's ports cannot be held; logs/ports.log says why");
        }
        return process.toHandle();
    }

    private static String firstLine(Process process) {
        var line = CompletableFuture.supplyAsync(() -> {
            try (var out =
                    new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
                return String.valueOf(out.readLine());
            } catch (IOException e) {
                return "";
            }
        });
        try {
            return line.get(START_TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        } catch (ExecutionException | TimeoutException e) {
            return "";
        }
    }

    private static PidFile pidFile(DataFolder data) {
        return new PidFile(data.root().resolve("ports.pid"));
    }

    /** As when this JVM ends. */
    void leaveToTheProcessBeside() throws IOException {
        closed = true;
        for (var port : own) {
            port.close();
        }
    }

    /** Gives them back, also those of the process beside. */
    @Override
    public void close() throws IOException {
        leaveToTheProcessBeside();
        pidFile(data).living().ifPresent(keeper -> {
            keeper.destroyForcibly();
            keeper.onExit().completeOnTimeout(keeper, 10, TimeUnit.SECONDS).join();
        });
        pidFile(data).delete();
    }
}
